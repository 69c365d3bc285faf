package lint

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

var indexPage = &check{
	Check:   Check{"index-page", Note, "an allow rule for an index page, which Google's parser applies to its folder too"},
	example: "user-agent: *\nallow: /a/index.html\ndisallow: /a/",
}

var assetsDisallowed = &check{
	Check:   Check{"assets-disallowed", Note, "style sheets or scripts are disallowed"},
	example: "user-agent: *\ndisallow: /css/",
}

// checkMeaning looks at what the paths of a pattern are for.
func (l *linter) checkMeaning(allow bool, value []byte) {
	path := value
	if last := len(value) - 1; value[last] == '$' {
		path = value[:last]
	}
	switch {
	case allow:
		l.checkIndexPage(path)
	case isAssets(path) && l.groups[len(l.groups)-1].isForGoogle():
		l.doubt(assetsDisallowed, value, "search engines need style sheets and scripts to see pages as people do; allow them", areAssetsSettled, nil)
	}
}

func (l *linter) checkIndexPage(path []byte) {
	folder := path[:bytes.LastIndexByte(path, '/')+1]
	if bytes.HasPrefix(path[len(folder):], []byte("index.htm")) {
		l.doubt(indexPage, path, fmt.Sprintf("Google's parser takes this for a rule for %v as well; other crawlers need one more rule for that", quoted(string(folder)+"$")), isFolderAllowed, l.over(l.current[len(l.current):], l.newLine()+"Allow: "+string(folder)+"$"))
	}
}

// isFolderAllowed reports whether the group of r allows the folder of its index page.
func isFolderAllowed(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	pattern := s.Pattern(r)
	folder := pattern[:strings.LastIndexByte(pattern, '/')+1] + "$"
	return l.inGroup(r, func(o match.Rule) bool { return o.Allow() && s.Pattern(o) == folder })
}

// areAssetsSettled reports whether the group of r disallows everything, or allows style sheets or scripts
// in what r disallows.
func areAssetsSettled(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	return l.inGroup(r, func(o match.Rule) bool {
		pattern := s.Pattern(o)
		return isForAll(s, o) || o.Allow() && o > r && mayMeet(s, o, r) && (strings.Contains(pattern, "js") || strings.Contains(pattern, "css"))
	})
}

// isAssets reports whether a pattern is for a folder of style sheets or scripts, or for
// all style sheets or scripts, also with any query.
func isAssets(path []byte) bool {
	path = bytes.TrimRight(path, "*")
	if query := bytes.TrimRight(path, "?"); bytes.HasSuffix(query, []byte("s")) {
		path = query
	}
	folder := path
	if last := len(path) - 1; last >= 0 && path[last] == '/' {
		folder = path[:last]
	}
	if len(folder) == 0 {
		return false
	}
	if last := syntax.Lower(folder[len(folder)-1]); last != 's' && last != 't' {
		return false // as for most patterns
	}
	name := path[bytes.LastIndexByte(folder, '/')+1:]
	if parent := path[:len(path)-len(name)]; bytes.HasSuffix(parent, []byte("/wp-content/")) {
		name = path[len(parent)-len("wp-content/"):]
	}
	var folded [len("wp-content/plugins/")]byte
	if name = bytes.TrimLeft(name, "*"); len(name) > len(folded) {
		return false
	}
	for i, c := range name {
		folded[i] = syntax.Lower(c)
	}
	switch string(folded[:len(name)]) {
	case "css/", "js/", "css", "js", ".css", ".js", "javascript/", "javascripts/", "stylesheets/", "assets/", "_next/", "wp-includes/", "wp-includes",
		"wp-content/", "wp-content", "wp-content/themes/", "wp-content/themes", "wp-content/plugins/", "wp-content/plugins":
		return true
	}
	return false
}

package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// forbids returns the first statement that says no to one of the purposes, or nil.
func forbids(said usage.Statement, purposes []usage.Use) *usage.Said {
	for _, use := range purposes {
		if said.Allows(use) == usage.No {
			why, _ := said.Why(use)
			return &why
		}
	}
	return nil
}

// isAboutSite reports whether target tells of the site at o and its pages, and so is no
// content that anyone says no about: a sitemap or a licence that robots.txt names, or a file
// with a place of its own. The robots.txt itself is not judged.
func isAboutSite(f *robots.File, o origin.Origin, target string) bool {
	path, _, _ := strings.Cut(target, "?")
	if path == "/sitemap.xml" || path == "/.well-known/tdmrep.json" {
		return true
	}
	for sitemap := range f.Sitemaps() {
		if isURL(sitemap, o, target) {
			return true
		}
	}
	return slices.ContainsFunc(usage.Licenses(f), func(l usage.License) bool { return isURL(l.URL, o, target) })
}

// isURL reports whether text is the URL of target at o, or relative to it.
func isURL(text string, o origin.Origin, target string) bool {
	if !strings.HasSuffix(text, target) {
		return false // as nearly all are, at little cost
	}
	u, err := o.RobotsURL().Parse(text)
	if err != nil || u.RequestURI() != target {
		return false
	}
	at, err := origin.OfURL(u)
	return err == nil && at == o
}

// Usable returns an error if one of the purposes in a field cannot be one that a site names.
func Usable(field string, purposes []usage.Use) error {
	for _, use := range purposes {
		if !isUse(string(use)) {
			return fmt.Errorf("polite: %s has %.60q, which is no name of a use: write lower-case letters, digits and '-', such as usage.TrainAI", field, use)
		}
	}
	return nil
}

func isUse(s string) bool {
	other := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' }
	return s != "" && !slices.ContainsFunc([]rune(s), other)
}

// Package crawlers knows the names of well-known crawlers, and what their owners say of
// them.
//
// The table is crawlers.csv. To add a crawler, add a line: its product token, its owner, its kinds with
// a space between, what it is for, its manners, the page that says so, the day on which somebody read
// it, and its status. If nobody has looked up what the owner says, the manners, the page and the day
// are empty. The lines whose status is "listed" are from https://github.com/ai-robots-txt/ai.robots.txt, as
// of 2026-08-22. If the owner says nothing, the manners are "not said", and there may be no page.
//
// All functions are safe for concurrent use.
package crawlers

import (
	"cmp"
	_ "embed"
	"encoding/csv"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Crawler is a crawler that is well known.
type Crawler struct {
	Name    string `json:"name"` // its product token
	Owner   string `json:"owner"`
	Kinds   []Kind `json:"kinds"`             // at least one
	Purpose string `json:"purpose"`           // what it is for, in words
	Manners string `json:"manners,omitempty"` // how it treats robots.txt, as its owner says; "" if nobody has looked it up
	Source  string `json:"source,omitempty"`  // the URL of the page that says so
	Looked  string `json:"looked,omitempty"`  // when somebody read the page, as in 2026-11-21
	Status  Status `json:"status,omitempty"`  // "" for one that is in use
}

// A Kind is what a crawler is for, as far as its owner says. A crawler may be of several
// kinds.
type Kind string

const (
	AITraining Kind = "ai-training" // training of AI
	AISearch   Kind = "ai-search"   // search and answers with AI
	AIUser     Kind = "ai-user"     // pages that a user asks an AI for
	Search     Kind = "search"      // a search engine
	SEO        Kind = "seo"         // search engine optimisation
	Ads        Kind = "ads"         // advertisements
	Preview    Kind = "preview"     // previews of links
	Archive    Kind = "archive"     // a copy of the web
	Other      Kind = "other"
)

// Kinds returns all kinds. The caller may change the slice.
func Kinds() []Kind {
	return []Kind{AITraining, AISearch, AIUser, Search, SEO, Ads, Preview, Archive, Other}
}

// A Status says that a name in a robots.txt may reach nobody, or that little is known of it.
type Status string

const (
	Retired    Status = "retired"    // the owner no longer uses the name
	Unofficial Status = "unofficial" // others report the name, and the owner has never announced it
	Listed     Status = "listed"     // the name stands in public lists, and nobody has looked up what its owner says
)

// OfKind returns the crawlers of a kind, in the order of the table.
func OfKind(k Kind) []Crawler {
	return slices.DeleteFunc(All(), func(c Crawler) bool { return !slices.Contains(c.Kinds, k) })
}

//go:embed crawlers.csv
var table string

// All returns the crawlers, in the order of the table. The caller may change the slice, but
// not the Kinds of a crawler.
func All() []Crawler { return slices.Clone(all()) }

var all = sync.OnceValue(func() (all []Crawler) {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // a test reads the same table
	}
	for _, r := range rows[1:] {
		all = append(all, Crawler{r[0], r[1], kindsOf(r[2]), r[3], r[4], r[5], r[6], Status(r[7])})
	}
	return all
})

func kindsOf(words string) (kinds []Kind) {
	for word := range strings.FieldsSeq(words) {
		kinds = append(kinds, Kind(word))
	}
	return kinds
}

// names are the crawlers by their names in lower case without "-", "_" and ".", and these
// names by their length.
var names = sync.OnceValues(func() (by map[string]string, bares [][]string) {
	by, bares = make(map[string]string), make([][]string, longest+2)
	for _, c := range all() {
		name := bare(c.Name)
		by[name] = c.Name
		if len(name) < len(bares) {
			bares[len(name)] = append(bares[len(name)], name)
		}
	}
	return by, bares
})

// known are the names in lower case.
var known = sync.OnceValue(func() map[string]Crawler {
	known := make(map[string]Crawler)
	for _, c := range all() {
		known[strings.ToLower(c.Name)] = c
	}
	return known
})

// Find returns the crawler with a name, in upper or lower case. ok is false if there is none.
func Find(name string) (c Crawler, ok bool) {
	c, ok = known()[strings.ToLower(name)]
	return c, ok
}

// products are names of products and of their makers, in lower case, that people take for names of crawlers.
var products = map[string]string{
	"chatgpt": "OpenAI", "gpt": "OpenAI", "claude": "Anthropic", "gemini": "Google", "bard": "Google", "bing": "Microsoft", "copilot": "Microsoft",
	"facebook": "Meta", "llama": "Meta", "meta-ai": "Meta", "siri": "Apple", "twitter": "X Corp", "tiktok": "ByteDance", "doubao": "ByteDance",
	"qwen": "Alibaba", "kimi": "Moonshot AI", "grok": "xAI", "xai": "xAI", "baidu": "Baidu", "yahoo": "Yahoo", "adsbot": "Google",
}

// unread are the names that no crawler reads, in lower case, with their owners: products, and owners of whom
// somebody has looked up what they say. Yandex reads its own.
var unread = sync.OnceValue(func() map[string]string {
	unread := maps.Clone(products)
	for _, c := range all() {
		if c.Looked != "" {
			unread[strings.ToLower(c.Owner)] = c.Owner
		}
	}
	for _, c := range all() {
		delete(unread, strings.ToLower(c.Name))
		delete(unread, strings.ToLower(GoesBy(c.Name)))
	}
	return unread
})

// Unread returns the owner of a name that no crawler reads, in upper or lower case: OpenAI for ChatGPT, or for
// OpenAI. It returns "" for other names, also for those of owners whose pages on crawlers nobody has looked up.
func Unread(name string) (owner string) { return unread()[strings.ToLower(name)] }

// OfOwner returns the crawlers that an owner uses or, if it announces none, those that others report. The name
// is that of the owner or of a product, in upper or lower case: OpenAI or ChatGPT.
func OfOwner(name string) []Crawler {
	owner := cmp.Or(products[strings.ToLower(name)], name)
	others := func(c Crawler) bool { return !strings.EqualFold(c.Owner, owner) || c.Status == Retired }
	reported := slices.DeleteFunc(All(), others)
	if used := slices.DeleteFunc(slices.Clone(reported), func(c Crawler) bool { return c.Status != "" }); len(used) > 0 {
		return used
	}
	return reported
}

// GoesBy returns the second name of a crawler, as its owner says: Googlebot for Googlebot-Image. The
// crawler goes by this name if a robots.txt does not name the crawler itself. GoesBy returns "" if
// there is no such name.
func GoesBy(name string) string {
	c, _ := Find(name)
	_, rest, _ := strings.Cut(c.Manners, "goes by ")
	other, too := strings.CutSuffix(rest, " too")
	if !too {
		return ""
	}
	return other
}

// MayDisobey reports whether the owner of a crawler says that it does not always obey robots.txt, as some say
// of what their users ask for.
func MayDisobey(name string) bool {
	c, _ := Find(name)
	return strings.HasPrefix(c.Manners, "does not obey") || strings.HasPrefix(c.Manners, "does not always obey")
}

// IgnoresEveryone reports whether the owner of a crawler says that it ignores the group for "*".
func IgnoresEveryone(name string) bool {
	c, _ := Find(name)
	return strings.Contains(c.Manners, "no group for *")
}

// IgnoresDelay reports whether the owner of a crawler says that it ignores crawl-delay, as Google says of all
// of its own.
func IgnoresDelay(name string) bool {
	c, _ := Find(name)
	return c.Owner == "Google" || strings.Contains(c.Manners, "ignores crawl-delay")
}

const (
	longest = 40 // of the names that can be like a known one
	tooMany = 3  // characters, at most, that a name has too many
)

// Meant returns the known name that an unknown name seems to mean. The two differ in their separators,
// or by one slip. Meant returns "" if written is a known name itself, or is like no known name.
func Meant(written string) string {
	if _, ok := Find(written); ok || len(written) > longest {
		return ""
	}
	name := bare(written)
	by, bares := names()
	if meant, ok := by[name]; ok {
		return meant
	}
	for _, alike := range bares[max(len(name)-tooMany, 0) : len(name)+2] {
		for _, known := range alike {
			if isSlip(name, known) || stutters(name, known) {
				return by[known]
			}
		}
	}
	return ""
}

// separators stand in names, and are often left out, put in or mixed up.
var separators = strings.NewReplacer("-", "", "_", "", ".", "", " ", "")

func bare(name string) string { return separators.Replace(strings.ToLower(name)) }

const (
	shortest         = 6 // of the names in which a slip is told from another name
	shortestReplaced = 9 // likewise if a character is replaced: roverbot is not rogerbot
)

// stutters reports whether a name is a known one with its end written twice: extendeded.
func stutters(written, name string) bool {
	end, ok := strings.CutPrefix(written, name)
	return ok && len(name) >= shortest && len(end) <= tooMany && strings.HasSuffix(name, end)
}

// isSlip reports whether a name is written with one slip: a character is missing, too much,
// swapped with its neighbour or, in a longer name, replaced.
func isSlip(written, name string) bool {
	if d := len(written) - len(name); len(name) < shortest || d < -1 || 1 < d {
		return false
	}
	same := 0 // characters at the beginning
	for same < len(written) && same < len(name) && written[same] == name[same] {
		same++
	}
	a, b := written[same:], name[same:]
	switch len(a) - len(b) {
	case 1:
		return a[1:] == b
	case -1:
		return a == b[1:] && (b[0] < '0' || '9' < b[0]) // AIBot is not AI2Bot
	case 0:
		swapped := len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
		return swapped || len(a) > 0 && len(name) >= shortestReplaced && a[1:] == b[1:]
	}
	return false
}

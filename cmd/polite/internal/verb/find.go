package verb

import (
	"flag"
	"fmt"
	"strings"

	"github.com/go-polite/polite/internal/closest"
	"github.com/go-polite/polite/internal/printable"
)

// The topics of help that are no verbs.
const (
	GuideTopic = "robots.txt"
	UsageTopic = "usage" // what sites say about the use of their pages
)

// Find returns the verb of a name. If there is none, the error says what may have
// been meant.
func Find(verbs []Verb, name string) (Verb, error) {
	switch name {
	case "-h", "-help", "--help":
		name = "help"
	case "-version", "--version":
		name = "version"
	}
	for _, v := range verbs {
		if v.Name == name {
			return v, nil
		}
	}
	return Verb{}, unknown(verbs, Shown(name))
}

// unknown returns the error for a name that no verb has.
func unknown(verbs []Verb, name string) error {
	hint := `"polite help" lists the commands.`
	if strings.Contains(name, "://") {
		hint = fmt.Sprintf("To fetch a page, write: polite get %s", name)
	} else if strings.HasSuffix(name, GuideTopic) {
		hint = fmt.Sprintf(`"polite help robots.txt" is a guide to the language, "polite lint %s" checks a file.`, name)
	} else if meant := meantVerb(verbs, name); meant != "" {
		hint = fmt.Sprintf("Did you mean %q? %s", meant, hint)
	}
	return misuse{fmt.Errorf("unknown command %q", name), printable.Text(hint)}
}

// synonyms returns the flags that a word may stand for: other tools call them so.
func synonyms(word string) []string {
	switch word {
	case "agent", "agents", "user-agent", "useragent", "crawler", "bot", "ua":
		return []string{"A"}
	case "file", "robots", "robots-txt", "robotstxt", "input":
		return []string{"f"}
	case "output", "out", "output-document", "remote-name":
		return []string{"o"}
	case "verbose", "explain", "why":
		return []string{"v"}
	case "colour", "no-color", "no-colour", "colors", "colours":
		return []string{"color"}
	case "silent", "q", "s":
		return []string{"quiet"}
	case "header", "headers":
		return []string{"H"}
	case "head":
		return []string{"I"}
	case "max-time", "timeout", "m", "wait":
		return []string{"timeout", "max-time"}
	case "format", "output-format", "reporter":
		return []string{"json"}
	case "disable", "exclude", "skip":
		return []string{"ignore"}
	}
	return nil
}

// synonym returns the flag that a word of other tools stands for, or "" if there is none.
func synonym(flags *flag.FlagSet, word string) string {
	for _, name := range synonyms(word) {
		if flags.Lookup(name) != nil {
			return name
		}
	}
	return ""
}

// meantFlag returns the flag that was meant by a name that no flag has, or "".
func meantFlag(flags *flag.FlagSet, name string) string {
	if flag := synonym(flags, name); flag != "" {
		return flag
	}
	var long []string // of letters, each is like any other
	flags.VisitAll(func(f *flag.Flag) {
		if len(f.Name) > 1 {
			long = append(long, f.Name)
		}
	})
	if len(name) < 3 {
		return ""
	}
	return closest.Name(name, long)
}

// meantVerb returns the verb that was meant by a name that no verb has, or "".
func meantVerb(verbs []Verb, name string) string {
	switch name {
	case "test", "tests", "allowed", "can-fetch", "ask", "robots":
		return "check"
	case "validate", "validator", "verify", "audit":
		return "lint"
	case "fetch", "curl", "wget", "download":
		return "get"
	}
	return closest.Name(name, names(verbs))
}

func names(verbs []Verb) []string {
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name)
	}
	return names
}

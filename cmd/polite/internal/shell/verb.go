package shell

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
)

// A Verb is what there is to complete of a verb.
type Verb struct {
	Name  string
	Brief string
	Flags []manual.Flag
	Words []string // that may be its arguments; if there are none, these are files
}

// Values returns the words that the value of a flag may be. If it returns none, the value
// is a file if it is called so, and anything else if not.
type Values func(value string) []string

// cases returns a branch of a case statement for each verb that text has something for.
func cases(verbs []Verb, text func(Verb) string) string {
	var b strings.Builder
	for _, v := range verbs {
		if is := text(v); is != "" {
			fmt.Fprintf(&b, "    %s) %s ;;\n", v.Name, is)
		}
	}
	return b.String()
}

// valued returns a branch of a case statement for each flag that has a value: "verb flag".
func valued(verbs []Verb, values Values, words func([]string) string, file, anything string) string {
	var b strings.Builder
	for _, v := range verbs {
		for _, f := range v.Flags {
			if f.Value == "" {
				continue
			}
			does := anything
			if all := values(f.Value); len(all) > 0 {
				does = words(all)
			} else if f.Value == "file" {
				does = file
			}
			for _, name := range f.Names {
				fmt.Fprintf(&b, "    %s) %s; return ;;\n", quoted(v.Name+" "+name), does)
			}
		}
	}
	return b.String()
}

// quoted returns text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func names(verbs []Verb) (all []string) {
	for _, v := range verbs {
		all = append(all, v.Name)
	}
	return all
}

func flagNames(v Verb) (all []string) {
	for _, f := range v.Flags {
		all = append(all, f.Names...)
	}
	return all
}

package shell

import (
	"fmt"
	"strings"
)

func fish(verbs []Verb, values Values) string {
	var b strings.Builder
	b.WriteString("# polite for fish: put it into ~/.config/fish/completions as polite.fish\n")
	for _, v := range verbs {
		fmt.Fprintf(&b, "complete -c polite -n __fish_use_subcommand -f -a %s -d %s\n", v.Name, fishQuoted(v.Brief))
	}
	for _, v := range verbs {
		of := fmt.Sprintf("complete -c polite -n '__fish_seen_subcommand_from %s'", v.Name)
		if len(v.Words) > 0 {
			fmt.Fprintf(&b, "%s -f -a %s\n", of, fishQuoted(strings.Join(v.Words, " ")))
		}
		for _, f := range v.Flags {
			b.WriteString(of + fishNames(f.Names) + fishValue(f.Value, values) + " -d " + fishQuoted(f.Brief()) + "\n")
		}
	}
	return b.String()
}

func fishNames(names []string) string {
	var b strings.Builder
	for _, name := range names {
		if long, ok := strings.CutPrefix(name, "--"); ok {
			b.WriteString(" -l " + long)
		} else {
			b.WriteString(" -s " + name[1:])
		}
	}
	return b.String()
}

func fishValue(value string, values Values) string {
	words := values(value)
	switch {
	case value == "":
		return ""
	case len(words) > 0:
		return " -x -a " + fishQuoted(strings.Join(words, " "))
	case value == "file":
		return " -r -F"
	default:
		return " -x"
	}
}

// fishQuoted returns text as one word of fish, which has escapes between quotation marks.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

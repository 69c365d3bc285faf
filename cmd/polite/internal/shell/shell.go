// Package shell makes the files by which shells complete the command.
package shell

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
)

// Names returns the shells that there is a file for.
func Names() []string { return []string{"bash", "zsh", "fish"} }

// Script returns the file for a shell, or "" if there is none.
func Script(shell string, verbs []Verb, values Values) string {
	switch shell {
	case "bash":
		return bash(verbs, values)
	case "zsh":
		return zsh(verbs, values)
	case "fish":
		return fish(verbs, values)
	}
	return ""
}

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

// bash completes files if the function finds nothing: that is the default of complete.
func bash(verbs []Verb, values Values) string {
	words := func(all []string) string { return "words=" + quoted(strings.Join(all, " ")) }
	return `# polite for bash: source it, or put it into a folder of bash-completion
_polite() {
    local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=
    COMPREPLY=()
    _polite_words "$verb" "${COMP_WORDS[COMP_CWORD-1]}" "$current"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_polite_words() {
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=` + quoted(strings.Join(names(verbs), " ")) + `
        return
    fi
    case "$1 $2" in
` + valued(verbs, values, words, ":", ":") + `    esac
    case "$3" in
    -*)
    case "$1" in
` + cases(verbs, func(v Verb) string { return words(flagNames(v)) }) + `    esac
    return ;;
    esac
    case "$1" in
` + cases(verbs, func(v Verb) string {
		if len(v.Words) == 0 {
			return ""
		}
		return words(v.Words)
	}) + `    esac
}
complete -o default -F _polite polite
`
}

func zsh(verbs []Verb, values Values) string {
	words := func(all []string) string { return "compadd -- " + strings.Join(all, " ") }
	return `#compdef polite
# polite for zsh: put it into a folder of $fpath as _polite, or source it
_polite() {
  local -a verbs flags
  if (( CURRENT == 2 )); then
    verbs=(` + described(verbs, func(v Verb) string { return entry(v.Name, v.Brief) }) + `)
    _describe command verbs
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
` + valued(verbs, values, words, "_files", "_message value") + `  esac
  if [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
` + cases(verbs, func(v Verb) string { return "flags=(" + described(v.Flags, flagEntries) + ")" }) + `    esac
    _describe -o flag flags
    return
  fi
  case $words[2] in
` + cases(verbs, func(v Verb) string {
		if len(v.Words) == 0 {
			return ""
		}
		return words(v.Words) + "; return"
	}) + `  esac
  _files
}
if [[ $funcstack[1] == _polite ]]; then
  _polite "$@"
else
  compdef _polite polite
fi
`
}

// described returns the entries of a list that zsh describes.
func described[T any](all []T, entry func(T) string) string {
	var entries []string
	for _, x := range all {
		entries = append(entries, entry(x))
	}
	return strings.Join(entries, " ")
}

func flagEntries(f manual.Flag) string {
	return described(f.Names, func(name string) string { return entry(name, f.Brief()) })
}

// entry returns a name and its description. In both, a colon would end the name.
func entry(name, brief string) string {
	return quoted(fmt.Sprintf("%s:%s", strings.ReplaceAll(name, ":", `\:`), brief))
}

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

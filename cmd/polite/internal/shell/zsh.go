package shell

import (
	"fmt"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
)

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

package shell

import "strings"

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

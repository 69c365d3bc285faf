# polite for bash: source it, or put it into a folder of bash-completion
_polite() {
    local current=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words=
    COMPREPLY=()
    _polite_words "$verb" "${COMP_WORDS[COMP_CWORD-1]}" "$current"
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}
_polite_words() {
    if [ "$COMP_CWORD" -eq 1 ]; then
        words='{{range $i, $_ := .}}{{if $i}} {{end}}{{.Name}}{{end}}'
        return
    fi
    case "$1 $2" in
{{- range $verb := .}}{{range $flag := .Flags}}{{if .Value}}{{range .Names}}
    '{{$verb.Name}} {{.}}') {{with words $flag.Value}}words={{quoted (join .)}}{{else}}:{{end}}; return ;;
{{- end}}{{end}}{{end}}{{end}}
    esac
    case "$3" in
    -*)
    case "$1" in
{{- range .}}
    {{.Name}}) words='{{range $i, $_ := .Flags}}{{if $i}} {{end}}{{join .Names}}{{end}}' ;;
{{- end}}
    esac
    return ;;
    esac
    case "$1" in
{{- range .}}{{if .Words}}
    {{.Name}}) words={{quoted (join .Words)}} ;;
{{- end}}{{end}}
    esac
}
complete -o default -F _polite polite
{{- /* So files are completed if the function finds nothing. */}}

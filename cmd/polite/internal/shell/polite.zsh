#compdef polite
# polite for zsh: put it into a folder of $fpath as _polite, or source it
_polite() {
  local -a verbs flags
  if (( CURRENT == 2 )); then
    verbs=({{range $i, $_ := .}}{{if $i}} {{end}}{{entry .Name .Brief}}{{end}})
    _describe command verbs
    return
  fi
  case "$words[2] $words[CURRENT-1]" in
{{- range $verb := .}}{{range $flag := .Flags}}{{if .Value}}{{range .Names}}
    '{{$verb.Name}} {{.}}') {{template "value" $flag.Value}}; return ;;
{{- end}}{{end}}{{end}}{{end}}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case $words[2] in
{{- range .}}
    {{.Name}}) flags=({{range $i, $flag := .Flags}}{{range $j, $name := .Names}}
        {{- if or $i $j}} {{end}}{{entry $name $flag.Brief}}{{end}}{{end}}) ;;
{{- end}}
    esac
    _describe -o flag flags
    return
  fi
  case $words[2] in
{{- range .}}{{if .Words}}
    {{.Name}}) compadd -- {{join .Words}}; return ;;
{{- end}}{{end}}
  esac
  _files
}
if [[ $funcstack[1] == _polite ]]; then
  _polite "$@"
else
  compdef _polite polite
fi
{{- define "value"}}
    {{- with words .}}compadd -- {{join .}}{{else}}{{if eq . "file"}}_files{{else}}_message value{{end}}{{end}}
{{- end}}

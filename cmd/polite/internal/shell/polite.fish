# polite for fish: put it into ~/.config/fish/completions as polite.fish
{{- range .}}
complete -c polite -n __fish_use_subcommand -f -a {{.Name}} -d {{fishQuoted .Brief}}
{{- end}}
{{- range .}}
{{- $of := print "complete -c polite -n '__fish_seen_subcommand_from " .Name "'"}}
{{- if .Words}}
{{$of}} -f -a {{fishQuoted (join .Words)}}
{{- end}}
{{- range .Flags}}
{{$of}}{{range .Names}}{{template "name" .}}{{end}}{{template "value" .Value}} -d {{fishQuoted .Brief}}
{{- end}}
{{- end}}
{{define "name"}}{{if eq (slice . 0 2) "--"}} -l {{slice . 2}}{{else}} -s {{slice . 1}}{{end}}{{end}}
{{- define "value"}}
    {{- with words .}} -x -a {{fishQuoted (join .)}}{{else}}{{if eq . "file"}} -r -F{{else if .}} -x{{end}}{{end}}
{{- end -}}

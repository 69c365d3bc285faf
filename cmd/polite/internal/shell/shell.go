// Package shell makes the files by which shells complete the command.
package shell

import (
	"embed"
	"io"
	"strings"
	"text/template"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
)

// Names returns the shells that there is a file for.
func Names() []string { return []string{"bash", "zsh", "fish"} }

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

//go:embed polite.*
var scripts embed.FS

// Write writes the file for one of the shells that there is a file for.
func Write(w io.Writer, shell string, verbs []Verb, values Values) error {
	name := "polite." + shell
	script, err := template.New(name).Funcs(template.FuncMap{
		"words": values, "join": join, "quoted": quoted, "entry": entry, "fishQuoted": fishQuoted,
	}).ParseFS(scripts, name)
	if err != nil {
		return err
	}
	return script.Execute(w, verbs)
}

func join(words []string) string { return strings.Join(words, " ") }

// quoted returns text as one word of bash or zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// entry returns a name and its description for zsh. In both, a colon would end the name.
func entry(name, brief string) string {
	return quoted(strings.ReplaceAll(name, ":", `\:`) + ":" + brief)
}

// fishQuoted returns text as one word of fish, which has escapes between quotation marks.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}

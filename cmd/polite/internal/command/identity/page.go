package identity

import (
	"bytes"
	_ "embed"
	"html/template"

	"github.com/go-polite/polite/webbotauth"
)

//go:embed page.html
var pageText string

// Page returns the page about c, in HTML. It returns an error, which names the flag of the
// command, if c says too little or something that is of no use.
func (c *Crawler) Page() ([]byte, error) {
	name, err := c.Name()
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	page, err := template.New("page").Parse(pageText)
	if err != nil {
		return nil, err
	}
	contact, err := c.contactURL()
	if err != nil {
		return nil, err
	}
	view := struct {
		*Crawler
		Name, ContactURL, Directory string
	}{c, name, contact, ""}
	if c.KeysAt != "" {
		view.Directory = c.KeysAt + webbotauth.DirectoryPath
	}
	var b bytes.Buffer
	err = page.Execute(&b, view)
	return b.Bytes(), err
}

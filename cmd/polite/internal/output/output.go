// Package output is where get writes the pages.
package output

import (
	"io"
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// An Output takes the pages, and writes them to a stream or to a file, which it
// creates for the first page. A terminal gets them escaped.
type Output struct {
	w    io.Writer
	name string   // of the file; "" if there is none to be created
	file *os.File // nil before the first page
	err  error    // why no more can be written
}

// To returns an Output that writes to the file of a name, or to w if the name is "".
func To(w io.Writer, name string) *Output { return &Output{w: terminal.OnScreen(w), name: name} }

// Err returns the error after which no more can be written, or nil.
func (o *Output) Err() error { return o.err }

// Begin is called before each page.
func (o *Output) Begin() error {
	if o.name == "" || o.file != nil {
		return nil
	}
	if o.file, o.err = os.Create(o.name); o.err == nil {
		o.w = terminal.OnScreen(o.file)
	}
	return o.err
}

// IsTerminal reports whether the page that has begun goes to a terminal.
func (o *Output) IsTerminal() bool {
	_, is := o.w.(*terminal.Screen)
	return is
}

// Write writes a part of a page.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// End is called after each page. It writes what waited for the page to go on.
func (o *Output) End() error {
	if screen, ok := o.w.(*terminal.Screen); ok && o.err == nil {
		o.err = screen.Close()
	}
	return o.err
}

// Close closes the file, if there is one.
func (o *Output) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

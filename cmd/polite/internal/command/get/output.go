package get

import (
	"cmp"
	"io"
	"net/url"
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// An output takes the pages, and writes them to a stream or to a file, which it
// creates for the first page. A terminal gets them escaped.
type output struct {
	w    io.Writer
	name string   // of the file; "" if there is none to be created
	file *os.File // nil before the first page
	err  error    // why no more can be written

	apart *names // of the files, if each page has one of its own
	page  *page  // that has begun, if it has a file of its own
}

// outputTo returns an output that writes to the file of a name, or to w if the name is "".
func outputTo(w io.Writer, name string) *output { return &output{w: terminal.OnScreen(w), name: name} }

// outputApart returns an output that writes each page to a file of its own, in the current
// folder. It overwrites no file. With skip, the files of pages that are there keep their
// names: see [output.Has].
func outputApart(skip bool) *output { return &output{w: io.Discard, apart: &names{skip: skip}} }

// Err returns the error after which no more can be written, or nil.
func (o *output) Err() error { return o.err }

// Begin is called before the page of a URL.
func (o *output) Begin(u *url.URL) error {
	if o.apart != nil {
		return o.next(u)
	}
	if o.name == "" || o.file != nil {
		return nil
	}
	if o.file, o.err = os.Create(o.name); o.err == nil {
		o.w = terminal.OnScreen(o.file)
	}
	return o.err
}

// Has returns the file that the page of a URL would have, if it is there and files are
// skipped. It is called once for each URL, before Begin.
func (o *output) Has(u *url.URL) (name string, has bool) {
	if o.apart == nil {
		return "", false
	}
	return o.apart.next(u)
}

// next creates the file for the page of a URL.
func (o *output) next(u *url.URL) error {
	if o.page, o.err = o.apart.create(u); o.err == nil {
		o.w, o.name = o.page.file, o.page.file.Name()
	}
	return o.err
}

// Name returns the file of the page that was written last, if it has one of its own. Then
// it forgets it.
func (o *output) Name() string {
	if o.apart == nil {
		return ""
	}
	name := o.name
	o.name = ""
	return name
}

// IsTerminal reports whether the page that has begun goes to a terminal.
func (o *output) IsTerminal() bool {
	_, is := o.w.(*terminal.Screen)
	return is
}

// Write writes a part of a page.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// End is called after each page. It writes what waited for the page to go on. A page with a
// file of its own gets its name, unless it was cut short.
func (o *output) End(cut bool) error {
	if screen, ok := o.w.(*terminal.Screen); ok && o.err == nil {
		o.err = screen.Close()
	}
	if o.page != nil {
		name, err := o.page.end(cut || o.err != nil)
		o.err = cmp.Or(o.err, err)
		o.page, o.w, o.name = nil, io.Discard, name
	}
	return o.err
}

// Close closes the file, if there is one.
func (o *output) Close() error {
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

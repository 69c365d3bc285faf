// Package output is where get writes the pages.
package output

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
)

// An Output takes the pages, and writes them to a stream or to a file, which it
// creates for the first page. A terminal gets them escaped.
type Output struct {
	w     io.Writer
	apart bool     // each page has a file of its own
	name  string   // of the file; "" if there is none to be created
	file  *os.File // nil before the first page
	err   error    // why no more can be written
}

// To returns an Output that writes to the file of a name, or to w if the name is "".
func To(w io.Writer, name string) *Output { return &Output{w: terminal.OnScreen(w), name: name} }

// Apart returns an Output that writes each page to a file of its own, in the current
// folder. It overwrites no file.
func Apart() *Output { return &Output{w: io.Discard, apart: true} }

// Err returns the error after which no more can be written, or nil.
func (o *Output) Err() error { return o.err }

// Begin is called before the page of a URL.
func (o *Output) Begin(u *url.URL) error {
	if o.apart {
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

// next creates the file for the page of a URL.
func (o *Output) next(u *url.URL) error {
	if o.file, o.err = create(nameFor(u)); o.err == nil {
		o.w, o.name = o.file, o.file.Name()
	}
	return o.err
}

// Name returns the file of the page that was written last, if it has one of its own. Then
// it forgets it.
func (o *Output) Name() string {
	if !o.apart {
		return ""
	}
	name := o.name
	o.name = ""
	return name
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
	if o.apart && o.file != nil {
		o.err = cmp.Or(o.err, o.file.Close())
		o.file, o.w = nil, io.Discard
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

// longestName is how many octets of a URL are in the name of a file.
const longestName = 200

// nameFor returns the name of a file for the page of a URL: the last part of the path, or
// "index.html" if there is none. It has nothing that does anything in a folder, a terminal
// or a shell.
func nameFor(u *url.URL) string {
	name := path.Base(u.EscapedPath())
	if u.Path == "" || strings.HasSuffix(u.EscapedPath(), "/") {
		name = "index.html"
	}
	name = strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("-._~%+,=@", r) {
			return r
		}
		return '_'
	}, name[:min(len(name), longestName)])
	if strings.Trim(name, ".") == "" || strings.ContainsAny(name[:1], "-.~=@+") {
		name = "_" + name
	}
	return name
}

// create creates a file of this name, or of another that no file has: name.1, name.2, and
// so on.
func create(name string) (*os.File, error) {
	const most = 10_000
	at := name
	for n := 1; ; n++ {
		file, err := os.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n > most {
			return file, err
		}
		at = fmt.Sprintf("%s.%d", name, n)
	}
}

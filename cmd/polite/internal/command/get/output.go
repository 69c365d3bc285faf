package get

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

// An output takes the pages, and writes them to a stream or to a file, which it
// creates for the first page. A terminal gets them escaped.
type output struct {
	w    io.Writer
	name string   // of the file; "" if there is none to be created
	file *os.File // nil before the first page, and between pages with files of their own
	err  error    // why no more can be written

	apart *names // of the files, if each page has one of its own
}

// outputTo returns an output that writes to the file of a name, or to w if the name is "".
func outputTo(w io.Writer, name string) *output { return &output{w: terminal.OnScreen(w), name: name} }

// outputApart returns an output that writes each page to a file of its own, in the current
// folder. It overwrites no file. With skip, the files of pages that are there keep their
// names: see [output.Has].
func outputApart(skip bool) *output {
	return &output{w: io.Discard, apart: &names{skip: skip, used: make(map[string]int)}}
}

// Err returns the error after which no more can be written, or nil.
func (o *output) Err() error { return o.err }

// Begin is called before a page. If it has a file of its own, Has has named it.
func (o *output) Begin() error {
	if o.apart != nil {
		if o.file, o.err = o.apart.create(); o.err == nil {
			o.w, o.name = o.file, o.file.Name()
		}
		return o.err
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
	if o.apart != nil && o.file != nil {
		name, err := end(o.file, cut || o.err != nil)
		o.err = cmp.Or(o.err, err)
		o.file, o.w, o.name = nil, io.Discard, name
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

// names are the names of the files for pages.
type names struct {
	skip bool           // what is there is left as it is
	used map[string]int // how many names that begin so the URLs of the list have, at least; 0: the name is free
	at   string         // the name for the next page
}

// next chooses the name for the page of a URL, and reports whether that file is there and left. The
// URLs of a list that have one name get the same names each time, whether they are fetched or not: page,
// page.1, and so on.
func (n *names) next(u *url.URL) (name string, is bool) {
	first := nameFor(u)
	for n.at = first; n.used[n.at] > 0 || !n.skip && isThere(n.at); n.used[first]++ { // also by a URL whose own name ends in a number
		n.at = numbered(first, n.used[first])
	}
	n.used[n.at]++
	return n.at, n.skip && isThere(n.at)
}

func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// unfinished ends the name of a file whose page is not whole. No page has such a name, and hardly a
// file of the user's own: the next try replaces it.
const unfinished = ".polite.part"

// create creates the file of the page for which next has chosen a name. Until the page is whole, it is unfinished.
func (n *names) create() (*os.File, error) {
	part := n.at + unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// most is how many files of one name there are.
const most = 10_000

// free returns the first of name, name.1, name.2 and so on that no file has.
func free(name string) string {
	for n := range most {
		if !isThere(numbered(name, n)) {
			return numbered(name, n)
		}
	}
	return numbered(name, most)
}

func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	return fmt.Sprintf("%s.%d", name, n)
}

// end closes the file of a page, and returns its name: that of the page, unless the page is cut.
func end(file *os.File, cut bool) (name string, err error) {
	part := file.Name()
	ours, err := file.Stat()
	if err = cmp.Or(err, file.Close()); err != nil || cut {
		return part, err
	}
	if theirs, _ := os.Lstat(part); !os.SameFile(ours, theirs) {
		return part, fmt.Errorf("%s is gone: does another run write to this folder?", part)
	}
	return settle(part)
}

// settle gives a file the name of its page, or another if that is taken by now. A link does
// not overwrite, as a new name would.
func settle(part string) (name string, err error) {
	page := strings.TrimSuffix(part, unfinished)
	name = page
	for range most {
		err = os.Link(part, name)
		switch {
		case err == nil:
			return name, os.Remove(part)
		case !errors.Is(err, fs.ErrExist):
			return name, os.Rename(part, name) // there are no links here
		}
		name = free(page)
	}
	return part, err
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
	if strings.HasSuffix(name, unfinished) {
		name += "_"
	}
	if strings.Trim(name, ".") == "" || strings.ContainsAny(name[:1], "-.~=@+") {
		name = "_" + name
	}
	return name
}

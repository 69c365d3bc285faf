package get

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
)

// names are the names of the files for pages.
type names struct {
	skip bool           // what is there is left as it is
	used map[string]int // with skip: how many URLs had this name
	at   string         // with skip: the name for the next page
}

// next chooses the name for the page of a URL, and reports whether that file is there. The
// URLs of a list that have one name get the same names each time: page, page.1, and so on.
func (n *names) next(u *url.URL) (name string, is bool) {
	if !n.skip {
		return "", false
	}
	if n.used == nil {
		n.used = make(map[string]int)
	}
	first := nameFor(u)
	n.at = numbered(first, n.used[first])
	n.used[first]++
	_, err := os.Lstat(n.at)
	return n.at, err == nil
}

// unfinished ends the name of a file whose page is not whole. No page has such a name, and hardly a
// file of the user's own: the next try replaces it.
const unfinished = ".polite.part"

// create creates the file of a page, with a name that no file has.
func (n *names) create(u *url.URL) (*page, error) {
	name := n.at
	if !n.skip {
		name = free(nameFor(u))
	}
	part := name + unfinished
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	return &page{name, file}, err
}

// most is how many files of one name there are.
const most = 10_000

// free returns the first of name, name.1, name.2 and so on that no file has.
func free(name string) string {
	for n := range most {
		if _, err := os.Lstat(numbered(name, n)); err != nil {
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

// A page is a page that is being written to a file of its own. The file has another name
// until the page is whole.
type page struct {
	name string
	file *os.File
}

// end closes the file, and returns its name: that of the page, unless the page is cut.
func (p *page) end(cut bool) (name string, err error) {
	part := p.file.Name()
	ours, err := p.file.Stat()
	if err = cmp.Or(err, p.file.Close()); err != nil || cut {
		return part, err
	}
	theirs, err := os.Lstat(part)
	if err != nil || !os.SameFile(ours, theirs) {
		return part, fmt.Errorf("%s is gone: does another run write to this folder?", part)
	}
	return p.settle(part)
}

// settle gives the file the name of the page, or another if that is taken by now. A link does
// not overwrite, as a new name would.
func (p *page) settle(part string) (name string, err error) {
	name = p.name
	for range most {
		err = os.Link(part, name)
		switch {
		case err == nil:
			return name, os.Remove(part)
		case !errors.Is(err, fs.ErrExist):
			return name, os.Rename(part, name) // there are no links here
		}
		name = free(p.name)
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

package output

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"
)

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

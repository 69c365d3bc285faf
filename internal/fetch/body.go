package fetch

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-polite/polite/robots"
)

// ReadBody reads the part of a body that polite parses, and one byte more, so that a
// longer body differs from one that ends there. An empty one is empty in any encoding.
func ReadBody(header http.Header, body io.Reader) ([]byte, error) {
	body, err := decoded(header, body)
	if err != nil {
		return nil, err
	}
	read, err := io.ReadAll(io.LimitReader(body, robots.MaxSize+1))
	if err != nil {
		return nil, err
	}
	return read, nil
}

// decoded returns what body says in its encoding. Base has mostly done that, if it has
// asked for one.
func decoded(header http.Header, body io.Reader) (io.Reader, error) {
	encoding := strings.ToLower(header.Get("Content-Encoding"))
	if encoding == "" || encoding == "identity" {
		return body, nil
	}
	buffered := bufio.NewReader(body)
	if _, err := buffered.Peek(1); errors.Is(err, io.EOF) {
		return buffered, nil
	}
	if encoding == "gzip" || encoding == "x-gzip" {
		return gzip.NewReader(buffered)
	}
	return nil, fmt.Errorf("Content-Encoding %.40q, which was not asked for", encoding)
}

// errPart says that the server answered 206 with less than the file, all of which it
// was asked for.
// ErrPart says that a site has sent a part of a file.
var ErrPart = errors.New("206 with a part of the file, where all of it was asked for")

// IsWhole reports whether a 206 has all of the file (RFC 9110 §14.4).
func IsWhole(header http.Header) bool {
	ends, isBytes := strings.CutPrefix(header.Get("Content-Range"), "bytes 0-")
	last, size, _ := strings.Cut(ends, "/")
	l, errLast := strconv.ParseInt(last, 10, 64)
	s, errSize := strconv.ParseInt(size, 10, 64)
	return isBytes && errLast == nil && errSize == nil && l+1 == s
}

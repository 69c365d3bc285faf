package pagecache

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"
)

// A file has the body of a page, then its head, then the checksum of both, then how long the head
// is, then the mark. So a body is written as it comes, and a file that was cut has no mark.
const mark = "polite-page-2\n"

const (
	lengthSize = 4 // octets
	tailSize   = sha256.Size + lengthSize + len(mark)
)

// A page is one that is kept. A nil page is none.
type page struct {
	head head
	file *os.File
	size int64 // of the body
}

// readPage returns the page in a file, or nil if it is not whole.
func readPage(file *os.File) *page {
	info, err := file.Stat()
	if err != nil {
		return nil
	}
	end := info.Size() - int64(tailSize)
	tail := make([]byte, tailSize)
	if _, err := file.ReadAt(tail, max(end, 0)); err != nil || string(tail[sha256.Size+lengthSize:]) != mark {
		return nil
	}
	length := int64(binary.BigEndian.Uint32(tail[sha256.Size:]))
	if length > mostHead || length > end {
		return nil
	}
	text := make([]byte, length)
	p := &page{file: file, size: end - length}
	if _, err := file.ReadAt(text, p.size); err != nil || json.Unmarshal(text, &p.head) != nil {
		return nil
	}
	sum := sha256.New()
	_, err = io.Copy(sum, io.NewSectionReader(file, 0, end))
	if err != nil || !bytes.Equal(sum.Sum(nil), tail[:sha256.Size]) || !slices.Contains(understood(), p.head.Status) {
		return nil
	}
	return p
}

// A writer writes a page to a file, and sums it up.
type writer struct {
	file *os.File
	sum  hash.Hash
}

// Write writes a part of the body.
func (w *writer) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	w.sum.Write(b[:n])
	return n, err
}

// writeHead writes what follows the body of a page.
func (w *writer) writeHead(h head) error {
	text, ok := h.encode()
	if !ok {
		return fmt.Errorf("the header of %s is not UTF-8", h.URL)
	}
	w.sum.Write(text)
	text = binary.BigEndian.AppendUint32(w.sum.Sum(text), uint32(len(text)))
	_, err := w.file.Write(append(text, mark...))
	return err
}

// isFor reports whether the page answers a request.
func (p *page) isFor(req *http.Request) bool { return p.head.isFor(req) }

func (p *page) close() {
	if p != nil {
		p.file.Close()
	}
}

// body reads the body from its begin.
func (p *page) body() io.Reader { return io.NewSectionReader(p.file, 0, p.size) }

// response returns the page as the answer to a request. The page is closed with its body.
func (p *page) response(req *http.Request, age time.Duration) *http.Response {
	header := p.head.Header
	header.Set("Age", strconv.FormatInt(int64(age/time.Second), 10))
	return &http.Response{
		Status:     fmt.Sprint(p.head.Status, " ", http.StatusText(p.head.Status)),
		StatusCode: p.head.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, ContentLength: p.size, Uncompressed: p.head.Uncompressed,
		Body: struct {
			io.Reader
			io.Closer
		}{p.body(), p.file},
		Request: req,
	}
}

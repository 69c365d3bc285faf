package pagecache

import (
	"errors"
	"io"
	"net/http"
	"sync"
)

// endIsKnown reports whether a body that is cut short is told from one that is whole. In
// HTTP/1 without a length or chunks it is not (RFC 9112 §8), unless it was compressed.
func endIsKnown(resp *http.Response) bool {
	return resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor >= 2 || resp.Uncompressed
}

// A recorder is a body that is kept while it is read. It is kept when its end was read.
// Close may be called during a Read.
type recorder struct {
	io.ReadCloser
	folder *Folder
	head   head
	size   int64 // of the body; -1 if it is not known

	mu   sync.Mutex
	file *writer // nil if the body is not kept, or no longer
	read int64
}

// record returns the body that keeps itself.
func (f *Folder) record(body io.ReadCloser, h head, size int64) io.ReadCloser {
	file, err := f.begin()
	if err != nil {
		f.fail(err)
		return body
	}
	return &recorder{ReadCloser: body, folder: f, head: h, size: size, file: file}
}

// Read reads from the site, and writes what came to the file. The reader hears of no
// error of the file.
func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(b[:n])
	if err != nil {
		r.end(errors.Is(err, io.EOF) && (r.size < 0 || r.read == r.size))
	}
	return n, err
}

// Close closes the body. A reader that has read all of it need not have seen its end.
func (r *recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(r.read == r.size)
	return r.ReadCloser.Close()
}

func (r *recorder) write(b []byte) {
	if r.file == nil {
		return
	}
	if r.read += int64(len(b)); r.read > r.folder.mostPage() {
		r.end(false)
		return
	}
	if _, err := r.file.Write(b); err != nil {
		r.folder.fail(err)
		r.end(false)
	}
}

// end keeps the page, or discards it.
func (r *recorder) end(whole bool) {
	if r.file == nil {
		return
	}
	file := r.file
	r.file = nil
	if whole {
		r.folder.fail(r.folder.finish(file, r.head))
	} else {
		discard(file)
	}
}

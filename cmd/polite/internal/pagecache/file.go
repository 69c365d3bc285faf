package pagecache

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync"
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
	head
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
	if err != nil || !bytes.Equal(sum.Sum(nil), tail[:sha256.Size]) || !p.isUnderstood() {
		return nil
	}
	return p
}

func (p *page) close() {
	if p != nil {
		p.file.Close()
	}
}

// body reads the body from its begin.
func (p *page) body() io.Reader { return io.NewSectionReader(p.file, 0, p.size) }

// A recorder is a body that is kept while it is read. It is kept when its end was read.
// Close may be called during a Read.
type recorder struct {
	io.ReadCloser
	folder *Folder
	head   head
	size   int64 // of the body; -1 if it is not known

	mu   sync.Mutex
	file *os.File // nil if the body is not kept, or no longer
	sum  hash.Hash
	read int64
}

// Read reads from the site, and writes what came to the file. The reader hears of no
// error of the file.
func (r *recorder) Read(b []byte) (int, error) {
	n, err := r.ReadCloser.Read(b)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return n, err
	}
	_, failed := r.file.Write(b[:n])
	r.sum.Write(b[:n])
	r.read += int64(n)
	switch {
	case failed != nil || r.read > r.folder.mostPage():
		r.folder.fail(failed)
		r.end(false)
	case err != nil:
		r.end(errors.Is(err, io.EOF) && (r.size < 0 || r.read == r.size))
	}
	return n, err
}

// Close closes the body. A reader that has read all of it need not have seen its end.
func (r *recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file != nil {
		r.end(r.read == r.size)
	}
	return r.ReadCloser.Close()
}

// end keeps the page if its body is whole, or discards it.
func (r *recorder) end(whole bool) {
	var err error
	if whole {
		err = r.finish()
	}
	r.file.Close()
	if !whole || err != nil {
		os.Remove(r.file.Name())
	}
	if r.file = nil; !errors.Is(err, fs.ErrNotExist) { // else another process has cleared the folder
		r.folder.fail(err)
	}
}

// finish writes what follows the body, and gives the file its name. It is on disk by then, so that
// no crash leaves a part of it under this name.
func (r *recorder) finish() error {
	text := r.head.encode()
	length := uint32(len(text))
	r.sum.Write(text)
	text = append(binary.BigEndian.AppendUint32(r.sum.Sum(text), length), mark...)
	_, err := r.file.Write(text)
	err = cmp.Or(err, r.file.Sync(), r.file.Close())
	if err == nil {
		err = os.Rename(r.file.Name(), r.folder.path(r.head.key))
	}
	if err == nil {
		r.folder.grow(r.read + int64(len(text)))
	}
	return err
}

package pagecache

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Folder keeps pages, a file each. Several processes can use it at once: a file appears
// whole under its name, and is never changed. If it is full, the pages that were not used
// for the longest time go first. A Folder is safe for concurrent use.
type Folder struct {
	// Name is the path of the folder. It is made when it is needed, for its user alone.
	Name string

	// MaxBytes is how much all files have together. If zero, it is 256 MiB. Each further
	// process can add a sixteenth of it. A page has at most a sixteenth.
	MaxBytes int64

	// MaxPages is how many pages are kept. If zero, it is 20,000.
	MaxPages int

	// Failed is told why a page could not be kept. If nil, nobody is told.
	Failed func(error)

	mu    sync.Mutex
	bytes int64 // that were written since this process swept
	pages int   // 0 if it has not yet
}

func (f *Folder) mostBytes() int64 { return cmp.Or(f.MaxBytes, 256<<20) }
func (f *Folder) mostPages() int   { return cmp.Or(f.MaxPages, 20_000) }
func (f *Folder) mostPage() int64  { return f.mostBytes() / 16 }

// path returns the file of a key. No site chooses any part of it.
func (f *Folder) path(k key) string {
	sum := sha256.Sum256([]byte(k.Agent + "\n" + k.URL))
	return filepath.Join(f.Name, hex.EncodeToString(sum[:]))
}

// find returns the page of a key, or nil.
func (f *Folder) find(k key) *page {
	name := f.path(k)
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil // to open a pipe, for example, takes as long as nobody writes to it
	}
	file, err := os.Open(name)
	if err != nil {
		return nil
	}
	p := readPage(file)
	if p == nil || p.key != k {
		file.Close()
		return nil
	}
	now := time.Now()
	os.Chtimes(name, now, now) // for sweep; if it fails, the page goes sooner
	return p
}

func (f *Folder) remove(k key) {
	if err := os.Remove(f.path(k)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.fail(err)
	}
}

func (f *Folder) fail(err error) {
	if err != nil && f.Failed != nil {
		f.Failed(err)
	}
}

const (
	// unfinished is how the names of files end that are not whole.
	unfinished = ".part"

	// longestPart is how long after the last write to such a file its process is gone.
	longestPart = 24 * time.Hour
)

// record returns the body of a page that keeps itself. If its size is not known, that is -1.
func (f *Folder) record(body io.ReadCloser, h head, size int64) io.ReadCloser {
	err := os.MkdirAll(f.Name, 0o700)
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(f.Name, "*"+unfinished); err == nil { // its mode is 0600
			return &recorder{ReadCloser: body, folder: f, head: h, size: size, file: file, sum: sha256.New()}
		}
	}
	f.fail(err)
	return body
}

// rewrite keeps a page with another head.
func (f *Folder) rewrite(p *page) {
	_, err := io.Copy(io.Discard, f.record(io.NopCloser(p.body()), p.head, p.size))
	f.fail(err)
}

// grow makes room for a file. It looks at the folder when a sixteenth is new, since other
// processes may write, too.
func (f *Folder) grow(size int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes += size
	f.pages++
	if f.pages == 1 || f.bytes > f.mostBytes()/16 || f.pages > f.mostPages()/16 {
		f.bytes, f.pages = size, 1
		f.fail(f.sweep(f.mostBytes()*7/8, f.mostPages()*7/8))
	}
}

// sweep deletes the files that were used least recently, until the rest is small.
func (f *Folder) sweep(bytes int64, pages int) error {
	files, err := f.files()
	if err != nil {
		return err
	}
	now := time.Now()
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return lastUse(b, now).Compare(lastUse(a, now)) })
	for _, file := range files {
		left := strings.HasSuffix(file.Name(), unfinished) && now.Sub(file.ModTime()) > longestPart
		bytes -= file.Size()
		pages--
		if bytes >= 0 && pages >= 0 && !left {
			continue
		}
		if err := os.Remove(filepath.Join(f.Name, file.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// lastUse returns when a file was used. A time to come was written before the clock was
// set back, and says nothing.
func lastUse(file fs.FileInfo, now time.Time) time.Time {
	if file.ModTime().After(now.Add(time.Minute)) {
		return time.Time{}
	}
	return file.ModTime()
}

// files returns the files in the folder. It need not exist.
func (f *Folder) files() (files []fs.FileInfo, err error) {
	entries, err := os.ReadDir(f.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files, err
}

// Size returns how many pages are kept, and their octets on disk.
func (f *Folder) Size() (pages int, bytes int64, err error) {
	files, err := f.files()
	for _, file := range files {
		bytes += file.Size()
		if !strings.HasSuffix(file.Name(), unfinished) {
			pages++
		}
	}
	return pages, bytes, err
}

// Clear deletes all pages. A page that another process reads is read to its end.
func (f *Folder) Clear() error { return os.RemoveAll(f.Name) }

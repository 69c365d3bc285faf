package sites

import (
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite"
)

// Watch reads the table in a file as ReadFile does, and reads it again when the file changes. It
// returns the Sites of a polite.Transport. The error is that of ReadFile.
//
// A request looks at the file, at most one request in a second: at its time, its size, and whether
// another file has its name. A change applies when the file is a second old, so that no file is read
// while somebody writes it. A change applies to requests that come after it. A changed Pace also
// applies to a request that waits, when this request is the next.
//
// If the file cannot be read, or makes no sense, the last good table applies, and Watch calls failed
// with the error. It calls failed again when the error changes. A request waits meanwhile, so failed
// should return soon. failed may be nil. Watch starts no goroutine, and there is nothing to close. In a
// bubble of testing/synctest, a change applies when a second of the bubble is over.
func Watch(name string, failed func(error)) (site func(*http.Request) *polite.Options, err error) {
	w := &watched{name: name, failed: failed, began: time.Now()}
	if info, err := os.Stat(name); err == nil && isOld(info) {
		w.read = info
	}
	table, err := ReadFile(name)
	if err != nil {
		return nil, err
	}
	w.table.Store(table)
	w.next.Store(int64(betweenLooks))
	return w.site, nil
}

// betweenLooks is the least time between two looks at a file, and the age at which a file
// is no longer being written.
const betweenLooks = time.Second

// A watched is a file whose table is in use.
type watched struct {
	name   string
	failed func(error)
	table  atomic.Pointer[Table]
	began  time.Time
	next   atomic.Int64 // when to look again, in nanoseconds after began

	mu   sync.Mutex  // of the request that looks
	read os.FileInfo // of the file that was read last; nil if it must be read again
	seen os.FileInfo // of the file at the last look; nil if it could not be seen
	told string      // the error that failed was called with; "" if all is well
}

func (w *watched) site(req *http.Request) *polite.Options {
	if w.isDue() && w.mu.TryLock() {
		w.look()
	}
	return w.table.Load().Site(req)
}

func (w *watched) isDue() bool { return int64(time.Since(w.began)) >= w.next.Load() }

// look reads the file again if it has changed. The caller has locked mu.
func (w *watched) look() {
	defer w.mu.Unlock() // also if failed panics
	if !w.isDue() {
		return // another request has just looked
	}
	w.next.Store(int64(time.Since(w.began) + betweenLooks))
	info, err := os.Stat(w.name)
	if err != nil {
		w.read, w.seen = nil, nil
		w.fail(err)
		return
	}
	settled := isSame(info, w.seen) || isOld(info)
	w.seen = info
	if !isYearsAhead(info) && (!settled || isSame(info, w.read)) {
		return
	}
	w.read = info
	table, err := ReadFile(w.name)
	if err != nil {
		w.fail(err)
		return
	}
	w.told = ""
	w.table.Store(table)
}

func (w *watched) fail(err error) {
	if text := err.Error(); text != w.told && w.failed != nil {
		w.told = text
		w.failed(err)
	}
}

func isSame(a, b os.FileInfo) bool {
	return b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// isOld reports whether a file was last written some time ago. A file with a time in the
// future is not old: the clock of its file system is another one.
func isOld(info os.FileInfo) bool { return time.Since(info.ModTime()) >= betweenLooks }

// isYearsAhead reports whether the time of a file says nothing. In a bubble of testing/synctest, all
// files are years ahead, and two that are written a second of the bubble after each other can have
// one time. So such a file is read at each look.
func isYearsAhead(info os.FileInfo) bool { return time.Until(info.ModTime()) > 365*24*time.Hour }

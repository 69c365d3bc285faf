package boltstore

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"time"
)

const (
	writeAfter = time.Second // an entry is written no later
	retryAfter = time.Minute // the longest time between two attempts that fail
	mostBytes  = 8 << 20     // pending bytes
	mostValues = 16 << 10    // pending values
)

// A batch is what one transaction writes.
type batch struct {
	entries map[string][]byte   // values by their keys
	lanes   map[string]struct{} // whose breaks have begun
	bytes   int                 // of the entries
	urgent  bool                // somebody waits for it
	void    bool                // its entries are forgotten
	done    chan struct{}       // closed when it was written, or could not be
	err     error
}

func newBatch() *batch {
	return &batch{entries: make(map[string][]byte), lanes: make(map[string]struct{}), done: make(chan struct{})}
}

func (b *batch) empty() bool { return len(b.entries)+len(b.lanes) == 0 }

func (b *batch) add(key string, value []byte) {
	b.bytes += len(value) - len(b.entries[key])
	b.entries[key] = value
}

// takeBack adds the entries and breaks of a batch that failed. If b has an entry of the
// same key, that one is newer.
func (b *batch) takeBack(failed *batch, kept func(lane string) bool) {
	for lane := range failed.lanes {
		if kept(lane) {
			b.lanes[lane] = struct{}{}
		}
	}
	if failed.void {
		return
	}
	for key, value := range failed.entries {
		if _, ok := b.entries[key]; !ok {
			b.add(key, value)
		}
	}
}

// A writer collects entries and breaks, and writes them in batches, one at a time.
type writer struct {
	write func(*batch) error
	kept  func(lane string) bool // reports whether a break is to be written again
	most  int                    // bytes of a batch
	many  int                    // values of a batch

	mu      sync.Mutex
	next    *batch
	current *batch // that is being written, or nil
	writes  uint64
	timer   *time.Timer   // for next, or nil
	wait    time.Duration // until next is written
	failed  error         // of the last write, until a Put has told it
	closed  bool
}

func newWriter(write func(*batch) error) *writer {
	always := func(string) bool { return true }
	return &writer{write: write, kept: always, most: mostBytes, many: mostValues, next: newBatch(), wait: writeAfter}
}

// full reports whether the next batch is. The caller has the lock.
func (w *writer) full() bool { return w.next.bytes >= w.most || len(w.next.entries) >= w.many }

// limit makes batches small if the file has to be: while one is written, the file has the
// pages that it changes twice, and a value changes a page or two.
func (w *writer) limit(file int64) {
	w.most = int(min(max(file/32, 64<<10), mostBytes))
	w.many = int(min(max(file/(8*pageSize), 64), mostValues))
}

// A lookup is what the writer had of a key at a moment.
type lookup struct {
	pending []byte // not written yet
	writes  uint64
}

// same tells whether no other entry can have come meanwhile.
func (p lookup) same(q lookup) bool { return p.writes == q.writes && bytes.Equal(p.pending, q.pending) }

// find looks for the entry of key.
func (w *writer) find(key []byte) lookup {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, ok := w.next.entries[string(key)]
	if !ok && w.current != nil {
		value = w.current.entries[string(key)]
	}
	return lookup{pending: value, writes: w.writes}
}

// pending returns all entries that are not written yet.
func (w *writer) pending() map[string][]byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[string][]byte)
	if w.current != nil {
		maps.Copy(all, w.current.entries)
	}
	maps.Copy(all, w.next.entries)
	return all
}

// bytes returns how many bytes are not written yet.
func (w *writer) bytes() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := w.next.bytes
	if w.current != nil {
		bytes += w.current.bytes
	}
	return int64(bytes)
}

// room waits until there is room for another entry, or returns why there is none. failed
// is the error of the last write, if nobody was told yet.
func (w *writer) room(ctx context.Context) (failed, err error) {
	for {
		w.mu.Lock()
		if !w.full() {
			failed, w.failed = w.failed, nil
			w.mu.Unlock()
			return failed, nil
		}
		w.mu.Unlock()
		if err := w.flush(ctx); err != nil {
			return nil, err
		}
	}
}

// add adds an entry to the next batch.
func (w *writer) add(key string, value []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errClosed
	}
	w.next.add(key, value)
	w.next.urgent = w.next.urgent || w.full()
	w.plan()
	return nil
}

// addBreak writes the break of a lane if begin begins one. It returns when the disk has
// the lane's longest break.
func (w *writer) addBreak(ctx context.Context, lane string, begin func() bool) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errClosed
	}
	if begin() {
		w.next.lanes[lane] = struct{}{}
	}
	_, pending := w.next.lanes[lane]
	if w.current != nil && !pending {
		_, pending = w.current.lanes[lane]
	}
	w.mu.Unlock()
	if !pending {
		return nil
	}
	return w.flush(ctx)
}

// flush writes all that is pending, and returns when the disk has it.
func (w *writer) flush(ctx context.Context) error {
	w.mu.Lock()
	b := w.next
	if b.empty() {
		b = w.current
	}
	if b == nil {
		w.mu.Unlock()
		return nil
	}
	b.urgent = true
	w.plan()
	w.mu.Unlock()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// plan starts the next batch, or the timer for it. The caller has the lock.
func (w *writer) plan() {
	switch {
	case w.current != nil || w.next.empty():
	case w.next.urgent:
		w.current, w.next = w.next, newBatch()
		go w.run(w.current)
	case w.timer == nil && !w.closed:
		w.timer = time.AfterFunc(w.wait, w.due)
	}
}

func (w *writer) due() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = nil
	w.next.urgent = !w.next.empty()
	w.plan()
}

// run writes one batch. If that fails, its entries and breaks go into the next one.
func (w *writer) run(b *batch) {
	b.err = w.write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current, w.failed = nil, b.err
	w.writes++
	if b.err == nil {
		w.wait = writeAfter
	} else {
		w.wait = min(2*w.wait, retryAfter)
		w.next.takeBack(b, w.kept)
	}
	close(b.done)
	w.plan()
}

// forget drops the entries that are pending.
func (w *writer) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.next.entries)
	w.next.bytes = 0
	if w.current != nil {
		w.current.void = true
	}
}

// close writes the last batch. After it, add and addBreak fail.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	return w.flush(context.Background())
}

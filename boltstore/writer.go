package boltstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"
)

// errClosed is the error of a store that was closed.
var errClosed = fmt.Errorf("boltstore: the store is closed: %w", os.ErrClosed)

const (
	writeAfter = time.Second // a record is written no later
	retryAfter = time.Minute // the longest time between attempts that fail
	mostBytes  = 16 << 20    // pending bytes
	mostValues = 16 << 10    // pending values
)

// A batch is what one transaction writes.
type batch struct {
	records map[string][]byte   // values by their keys
	lanes   map[string]struct{} // whose breaks have begun
	bytes   int
	urgent  bool          // somebody waits for it
	void    bool          // its records are to be forgotten
	done    chan struct{} // closed when it was written, or could not be
	err     error
}

func newBatch() *batch {
	return &batch{records: make(map[string][]byte), lanes: make(map[string]struct{}), done: make(chan struct{})}
}

func (b *batch) empty() bool { return len(b.records)+len(b.lanes) == 0 }

func (b *batch) full() bool {
	return b.bytes >= mostBytes || len(b.records)+len(b.lanes) >= mostValues
}

func (b *batch) record(key string, value []byte) {
	b.bytes += len(key) + len(value) - len(b.records[key])
	b.records[key] = value
}

// takeBack adds what failed could not write, unless something newer is there.
func (b *batch) takeBack(failed *batch) {
	for key, value := range failed.records {
		if _, ok := b.records[key]; !ok && !failed.void {
			b.record(key, value)
		}
	}
	maps.Copy(b.lanes, failed.lanes)
}

// A writer collects what is to be written, and writes it in batches: one at a time.
type writer struct {
	write func(*batch) error

	mu      sync.Mutex
	next    *batch
	current *batch // being written, or nil
	commits uint64
	timer   *time.Timer
	wait    time.Duration // until the next attempt
	failed  error         // of the last attempt, until somebody was told
	closed  bool
}

func newWriter(write func(*batch) error) *writer {
	return &writer{write: write, next: newBatch(), wait: writeAfter}
}

// A place is where the record of a key was at a moment.
type place struct {
	value   []byte // that is not written yet
	commits uint64 // batches that were written
}

// same tells whether the record is still the same.
func (p place) same(q place) bool { return p.commits == q.commits && bytes.Equal(p.value, q.value) }

// find returns where the record of key is.
func (w *writer) find(key string) place {
	w.mu.Lock()
	defer w.mu.Unlock()
	value, ok := w.next.records[key]
	if !ok && w.current != nil {
		value = w.current.records[key]
	}
	return place{value: value, commits: w.commits}
}

// room waits until there is room for another record. It returns the error of a write
// that has failed, if nobody was told yet, and whether there is room nevertheless.
func (w *writer) room(ctx context.Context) (ok bool, err error) {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return false, errClosed
	}
	if !w.next.full() {
		err, w.failed = w.failed, nil
		w.mu.Unlock()
		return true, err
	}
	w.mu.Unlock()
	if err := w.flush(ctx); err != nil {
		return false, err
	}
	return w.room(ctx)
}

// record adds a record to what is to be written soon.
func (w *writer) record(key string, value []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next.record(key, value)
	w.next.urgent = w.next.urgent || w.next.full()
	w.plan()
}

// pause writes the break of a lane, and returns when the disk has it.
func (w *writer) pause(ctx context.Context, lane string) error {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errClosed
	}
	w.next.lanes[lane] = struct{}{}
	w.mu.Unlock()
	return w.flush(ctx)
}

// forget drops the records that are not written yet.
func (w *writer) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.next.records)
	w.next.bytes = 0
	if w.current != nil {
		w.current.void = true
	}
}

// flush writes all that is pending, and returns when the disk has it.
func (w *writer) flush(ctx context.Context) error {
	w.mu.Lock()
	b := w.next
	if b.empty() && w.current != nil {
		b = w.current
	}
	if b.empty() {
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

// plan sees to it that what is pending is written. The caller holds the lock.
func (w *writer) plan() {
	switch {
	case w.current != nil || w.next.empty():
	case w.next.urgent:
		w.current, w.next = w.next, newBatch()
		go w.run(w.current)
	case w.timer == nil:
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

// run writes one batch. What could not be written is tried again later.
func (w *writer) run(b *batch) {
	b.err = w.write(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.current = nil
	w.commits++
	if b.err != nil {
		w.failed = b.err
		w.wait = min(2*w.wait, retryAfter)
		w.next.takeBack(b)
	} else {
		w.wait = writeAfter
	}
	close(b.done)
	w.plan()
}

// close writes what is pending. After it, nothing is taken.
func (w *writer) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	var err error
	for range 2 { // what is being written, and what waits
		err = errors.Join(err, w.flush(context.Background()))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
	w.next = newBatch()
	return err
}

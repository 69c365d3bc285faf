package queue

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"time"
)

// The first octet of a key of the Journal says what its line is.
const (
	ofItem  = "i" // and the number of an item: the item
	ofKnown = "k" // and how many there were before: a digest; so all keys come in order, which a file likes
	ofSpent = "s" // and the key of a lane: what was taken of it
)

func keyOf(kind string, number uint64) string {
	return string(binary.BigEndian.AppendUint64([]byte(kind), number))
}

const (
	// saveAfter is how long a change waits for others before it is written.
	saveAfter = time.Second

	// mostChanges is how many changes wait at most while no worker runs.
	mostChanges = 20_000
)

// A line is an item in the Journal.
type line[T any] struct {
	URL   string `json:"u"`
	Value T      `json:"v"`
	Tries int    `json:"t,omitempty"`
}

// line returns a task as the Journal keeps it, or nil if there is no Journal.
func (q *Queue[T]) line(t *task[T]) ([]byte, error) {
	if q.Journal == nil {
		return nil, nil
	}
	text, err := json.Marshal(line[T](t.item()))
	if err != nil {
		return nil, fmt.Errorf("queue: the journal cannot keep the value of the item: %w", err)
	}
	return text, nil
}

// note notes a change for the Journal. q.mu is locked.
func (q *Queue[T]) note(key string, value []byte) {
	if q.Journal == nil {
		return
	}
	if q.changes == nil {
		q.changes = make(map[string][]byte)
	}
	q.changes[key] = value
}

// noteSpent notes that what was taken of the lane of key has changed. q.mu is locked.
func (q *Queue[T]) noteSpent(key string) { q.note(ofSpent+key, []byte{}) } // save fills it in

// know notes a digest. q.mu is locked.
func (q *Queue[T]) know(digest uint64) {
	q.note(keyOf(ofKnown, uint64(len(q.known))), binary.BigEndian.AppendUint64(nil, digest))
	q.known.add(digest)
}

// save writes all changes to the Journal, also after the end of ctx: a push that was accepted is not lost.
func (q *Queue[T]) save(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	q.saving.Lock()
	defer q.saving.Unlock()
	changes := q.takeChanges()
	if len(changes) == 0 {
		return nil
	}
	if err := q.Journal.Write(ctx, changes); err != nil {
		q.mu.Lock()
		defer q.mu.Unlock()
		maps.Copy(changes, q.changes) // which are newer
		q.changes = changes
		return fmt.Errorf("queue: the journal cannot be written: %w", err)
	}
	return nil
}

func (q *Queue[T]) takeChanges() map[string][]byte {
	q.mu.Lock()
	defer q.mu.Unlock()
	changes := q.changes
	q.changes = nil
	for key := range changes {
		if key[:1] == ofSpent {
			changes[key], _ = json.Marshal(q.spentOf(key[1:])) // numbers alone
		}
	}
	return changes
}

// keep writes changes until the function that it returns is called, which writes the last. If they cannot be
// written, it calls failed.
func (q *Queue[T]) keep(ctx context.Context, failed func(error)) (end func() error) {
	if q.Journal == nil {
		return func() error { return nil }
	}
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ended:
				return
			case <-time.After(saveAfter):
			}
			if err := q.save(ctx); err != nil {
				failed(err)
			}
		}
	}()
	return func() error {
		close(ended)
		<-done
		return q.save(ctx)
	}
}

// load reads the Journal, once.
func (q *Queue[T]) load() error {
	q.loading.Do(func() {
		if q.Journal != nil {
			q.loaded = q.read()
		}
	})
	return q.loaded
}

func (q *Queue[T]) read() error {
	for l, err := range q.Journal.Lines(context.Background()) {
		if err == nil && l.Key != "" {
			err = q.readLine(l.Key[:1], l.Key[1:], l.Value)
		}
		if err != nil {
			return fmt.Errorf("queue: the journal cannot be read: %w", err)
		}
	}
	return nil
}

// readLine takes in a line of a kind.
func (q *Queue[T]) readLine(kind, rest string, value []byte) error {
	if kind != ofSpent && len(rest) != 8 {
		return nil // a later version has written it
	}
	switch kind {
	case ofKnown:
		if len(value) == 8 {
			q.known.add(binary.BigEndian.Uint64(value))
		}
	case ofSpent:
		return json.Unmarshal(value, q.spentOf(rest))
	case ofItem:
		var l line[T]
		err := json.Unmarshal(value, &l)
		if other, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return fmt.Errorf("it has a value that is no %T, but a JSON %s: use the type that wrote it, or another Journal", l.Value, other.Value)
		} else if err != nil {
			return err
		}
		u, err := url.Parse(l.URL)
		if err != nil {
			return err
		}
		t := task[T]{URL: l.URL, Value: l.Value, number: binary.BigEndian.Uint64([]byte(rest))}
		if l.Tries > 0 {
			t.way = &way{again: l.Tries}
		}
		key := q.key(u, l.URL)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.last = t.number // they come in order
		q.put(key, t)
	}
	return nil
}

package cachefile

import (
	"context"
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/store"
)

// A trouble is the first error of the file.
type trouble struct{ atomic.Pointer[error] }

// note notes err, if it says something of the file. It does not if the call came too
// late: after a claim was lost, or after this run has ended.
func (t *trouble) note(err error) {
	if err != nil && !errors.Is(err, store.ErrLost) && !errors.Is(err, os.ErrClosed) && !errors.Is(err, context.Canceled) {
		t.CompareAndSwap(nil, &err)
	}
}

// first returns the first error that was noted, or nil.
func (t *trouble) first() error {
	if err := t.Load(); err != nil {
		return *err
	}
	return nil
}

// A watched is a Store that knows which sites are being asked, and what has failed.
type watched struct {
	store.Store
	*trouble

	mu     sync.Mutex
	tokens map[string]bool // of claims that have not ended
	ended  chan struct{}   // closed when none is left; nil if nobody waits for that
}

// Claim notes the claim that it returns.
func (w *watched) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	claim, err := w.Store.Claim(ctx, key, seen, lease)
	w.note(err)
	if claim.Token != "" {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.tokens == nil {
			w.tokens = make(map[string]bool)
		}
		w.tokens[claim.Token] = true
	}
	return claim, err
}

// Put notes that a claim has ended.
func (w *watched) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	err := w.Store.Put(ctx, key, token, entry, keep)
	w.note(err)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.tokens, token)
	if len(w.tokens) == 0 && w.ended != nil {
		close(w.ended)
		w.ended = nil
	}
	return err
}

// answerTime is how long a run waits in the end for what sites answer in the background.
// Else they would be asked again.
const answerTime = 3 * time.Second

// settle waits until all claims have ended, but not for longer than answerTime, and not
// after ctx has ended.
func (w *watched) settle(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	ended := make(chan struct{})
	w.mu.Lock()
	if len(w.tokens) == 0 {
		close(ended)
	} else {
		w.ended = ended
	}
	w.mu.Unlock()
	select {
	case <-ended:
	case <-ctx.Done():
	}
}

// anew is a Store that shows nothing of what is kept, so that each site is asked. What
// it answers is kept.
type anew struct {
	store.Store

	// inBreak reports whether the origin of a key is in a long break. Then its last answer
	// is shown, since polite does not ask. If nil, no answer is shown.
	inBreak func(ctx context.Context, key string) bool
}

// Claim is as if there was no entry for key, unless its origin is in a long break.
func (a anew) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	shows := lease == 0 && a.inBreak != nil && a.inBreak(ctx, key)
	for {
		claim, err := a.Store.Claim(ctx, key, seen, lease)
		if err != nil || claim.Entry == nil || shows && isAnswer(key, claim.Entry) {
			return claim, err
		}
		seen = claim.Version
	}
}

// Put keeps an entry, unless a failure would replace an answer.
func (a anew) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	if entry != nil && !isAnswer(key, entry) {
		last, err := a.Store.Claim(ctx, key, "", 0)
		if err != nil || isAnswer(key, last.Entry) {
			entry = nil
		}
	}
	return a.Store.Put(ctx, key, token, entry, keep)
}

// turns is Turns that tell how long a request waits, since the memory of this run does
// not have the runs before. If they fail, this run goes on without them.
type turns struct {
	store.Turns
	waits func(time.Duration)                     // may be nil
	asks  func(origin string, wait time.Duration) // may be nil
	*trouble
}

// Take tells how long the request waits. If nobody knows, it waits as if another one had
// just been sent.
func (t turns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	grant, err := t.Turns.Take(ctx, lane, ask)
	if err != nil && ctx.Err() == nil {
		t.note(err)
		grant, err = store.Grant{Wait: ask.Gap, Slot: ask.Slots > 0}, nil
	}
	if t.waits != nil && err == nil && !grant.Late {
		t.waits(grant.Wait)
	}
	if t.asks != nil && err == nil && ask.Token == "" && 0 < grant.Wait && grant.Wait <= verb.LongBreak {
		t.asks(fleet.Told(lane), grant.Wait)
	}
	return grant, err
}

// inBreak reports whether the origin of a key is in a long break.
func (t turns) inBreak(ctx context.Context, key string) bool {
	o, ok := entry.OriginOf(key)
	if !ok {
		return false
	}
	grant, err := t.Turns.Take(ctx, fleet.OfOrigin(o).Name(), store.Ask{})
	return err == nil && grant.Wait > verb.LongBreak
}

// Break notes what fails. The break counts in this run all the same.
func (t turns) Break(ctx context.Context, lane string, wait time.Duration) error {
	err := t.Turns.Break(ctx, lane, wait)
	t.note(err)
	return err
}

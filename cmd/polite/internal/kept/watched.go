package kept

import (
	"context"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

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
func (w *watched) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	err := w.Store.Put(ctx, key, token, record, keep)
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
	select {
	case <-w.allEnded():
	case <-ctx.Done():
	}
}

func (w *watched) allEnded() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := make(chan struct{})
	if len(w.tokens) == 0 {
		close(ended)
	} else {
		w.ended = ended
	}
	return ended
}

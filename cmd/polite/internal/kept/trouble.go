package kept

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/go-polite/polite/store"
)

// A trouble is the first error of the file.
type trouble struct {
	mu  sync.Mutex
	err error
}

// note notes err, if it says something of the file. It does not if the call came too
// late: after a claim was lost, or after this run has ended.
func (t *trouble) note(err error) {
	if err == nil || errors.Is(err, store.ErrLost) || errors.Is(err, os.ErrClosed) || errors.Is(err, context.Canceled) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
}

// first returns the first error that was noted, or nil.
func (t *trouble) first() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err
}

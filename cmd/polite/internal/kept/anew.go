package kept

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store"
)

// anew is a Store that shows nothing of what is kept, so that each site is asked. What
// it answers is kept.
type anew struct {
	store.Store

	// rests reports whether the site of a key is in a long break. Then an answer of the
	// site is shown, since polite does not ask. If nil, no answer is shown.
	rests func(ctx context.Context, key string) bool
}

// Claim is as if there was no record of key, unless the site is in a long break.
func (a anew) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	resting := lease == 0 && a.rests != nil && a.rests(ctx, key)
	for {
		claim, err := a.Store.Claim(ctx, key, seen, lease)
		if err != nil || claim.Entry == nil || resting && isAnswer(key, claim.Entry) {
			return claim, err
		}
		seen = claim.Version
	}
}

// Put keeps a record, unless a failure would replace an answer.
func (a anew) Put(ctx context.Context, key, token string, form []byte, keep time.Duration) error {
	if form != nil && !isAnswer(key, form) {
		last, err := a.Store.Claim(ctx, key, "", 0)
		if err != nil || isAnswer(key, last.Entry) {
			form = nil
		}
	}
	return a.Store.Put(ctx, key, token, form, keep)
}

// isAnswer reports whether a record has an answer of the site.
func isAnswer(key string, form []byte) bool {
	r, err := entry.Decode(key, form)
	return err == nil && r.Answer != nil
}

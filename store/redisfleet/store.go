package redisfleet

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/go-polite/polite/store"
)

// Claim returns the entry of key, or claims the right to fetch. See [store.Store].
func (f *Fleet) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	token := rand.Text()
	a, err := f.ask(ctx, f.scripts.claim, []string{f.keys.entry(key)}, seen, micros(lease, day), token, key)
	if err != nil {
		return store.Claim{}, err
	}
	switch {
	case a.kind == "token":
		return store.Claim{Token: token}, nil
	case a.kind == "wait" && len(a.more) == 1:
		wait, _ := a.more[0].AsInt64()
		return store.Claim{Wait: duration(wait)}, nil
	case a.kind == "entry" && len(a.more) == 3:
		version, _ := a.more[0].ToString()
		age, _ := a.more[1].AsInt64()
		entry, _ := a.more[2].ToString()
		return store.Claim{Entry: []byte(entry), Version: version, Age: duration(age)}, nil
	default:
		return store.Claim{}, nil
	}
}

// Put replaces the entry of key and ends the claim. See [store.Store].
func (f *Fleet) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	message, err := f.call(ctx, f.scripts.put, []string{f.keys.entry(key)}, func(repeated bool) []string {
		return []string{token, micros(keep, always), flag(entry != nil), string(entry), flag(repeated)}
	})
	if err != nil {
		return err
	}
	switch a, _ := understand(message); a.kind {
	case "":
		return explain("put", errChanged)
	case "ok":
		return nil
	case "other":
		return f.replaced(ctx, key)
	default:
		return store.ErrLost
	}
}

// replaced tells all that the entry of a key was replaced by another. It takes a call of
// its own, since the news are in another slot of a cluster.
func (f *Fleet) replaced(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	_, err := f.run(ctx, f.scripts.replaced, f.keys.index(), f.pubsub.publish, f.keys.news(), key)
	return err
}

package redisfleet

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/rueidis"

	"github.com/go-polite/polite"
)

// Claim returns the record of key, or claims the right to fetch. See [polite.Store].
func (f *Fleet) Claim(ctx context.Context, key, seen string, lease time.Duration) (polite.Claim, error) {
	token := rand.Text()
	a, err := f.ask(ctx, f.scripts.claim, []string{f.keys.record(key)}, seen, micros(lease, day), token, key)
	if err != nil {
		return polite.Claim{}, err
	}
	switch {
	case a.kind == "token":
		return polite.Claim{Token: token}, nil
	case a.kind == "wait" && len(a.more) == 1:
		wait, _ := a.more[0].AsInt64()
		return polite.Claim{Wait: max(duration(wait), 1)}, nil
	case a.kind == "record" && len(a.more) == 3:
		return found(a.more), nil
	default:
		return polite.Claim{}, nil
	}
}

func found(reply []rueidis.RedisMessage) polite.Claim {
	version, _ := reply[0].ToString()
	age, _ := reply[1].AsInt64()
	record, _ := reply[2].ToString()
	return polite.Claim{Record: []byte(record), Version: version, Age: duration(age)}
}

// Put replaces the record of key and ends the claim. See [polite.Store].
func (f *Fleet) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	reply, err := f.run(ctx, f.scripts.put, []string{f.keys.record(key)}, func(repeated bool) []string {
		return []string{token, micros(keep, always), flag(record != nil), string(record), flag(repeated)}
	})
	if err != nil || len(reply) < 2 {
		return err
	}
	switch kind, _ := reply[1].ToString(); kind {
	case "ok":
		return nil
	case "other":
		return f.replaced(ctx, key)
	default:
		return polite.ErrLost
	}
}

// replaced tells all that the record of a key was replaced by another. It takes a call of
// its own, since the news are in another slot of a cluster.
func (f *Fleet) replaced(ctx context.Context, key string) error {
	if key == "" {
		return nil
	}
	_, err := f.run(ctx, f.scripts.replaced, f.keys.index(), func(bool) []string {
		return []string{f.pubsub.publish, f.keys.news(), key}
	})
	return err
}

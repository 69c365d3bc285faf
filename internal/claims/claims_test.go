package claims

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// A teller is a Store that says what it is told to say, after a while.
type teller struct {
	takes []time.Duration // the calls
	claim store.Claim
	err   error
	calls []string // "claim" with the lease, "put" with the octets
}

func (s *teller) call(ctx context.Context, call string) (err error) {
	if n := len(s.calls); n < len(s.takes) {
		time.Sleep(s.takes[n])
	}
	s.calls = append(s.calls, call)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.err
}

func (s *teller) Claim(ctx context.Context, _, _ string, lease time.Duration) (store.Claim, error) {
	return s.claim, s.call(ctx, lease.String())
}

func (s *teller) Put(ctx context.Context, _, token string, octets []byte, keep time.Duration) error {
	if octets == nil {
		token += " back"
	}
	return s.call(ctx, token)
}

// What a Store says, and what comes of it.
func TestClaim(t *testing.T) {
	const key, now = "key", int64(time.Hour)
	kept := &entry.Entry{Failure: &entry.Failure{Tries: 3}}
	octets := new(entry.Coder).Encode(kept, key)
	found := func(e *entry.Entry, at int64, doubtful bool) Claim {
		return Claim{Found: &Found{Entry: e, Version: "v", At: at, Doubtful: doubtful}}
	}
	told := func(octets []byte, age time.Duration) *teller {
		return &teller{claim: store.Claim{Entry: octets, Version: "v", Age: age}}
	}
	const late = callTimeout + time.Second + 1
	for name, test := range map[string]struct {
		store *teller
		fetch time.Duration
		want  Claim // Until counts from now
		calls []string
	}{
		"an entry":               {told(octets, time.Minute), 0, found(kept, now-int64(time.Minute), false), []string{"0s"}},
		"of the future":          {told(octets, -time.Minute), 0, found(kept, now, true), []string{"0s"}},
		"of long ago":            {told(octets, math.MaxInt64), 0, found(kept, now-int64(longest), false), []string{"0s"}},
		"a damaged entry":        {told([]byte("x"), 0), 0, found(nil, now, false), []string{"0s"}},
		"the right to fetch":     {&teller{claim: store.Claim{Token: "t"}}, time.Second, Claim{Token: "t", Until: time.Unix(11, 0)}, []string{"11s"}},
		"an endless fetch":       {&teller{claim: store.Claim{Token: "t"}}, math.MaxInt64, Claim{Token: "t", Until: time.Unix(0, int64(longest+leaseMargin))}, []string{(longest + leaseMargin).String()}},
		"the right of another":   {&teller{claim: store.Claim{Wait: time.Minute}}, time.Second, Claim{Wait: time.Minute}, []string{"11s"}},
		"an error":               {&teller{claim: store.Claim{Wait: time.Minute}, err: errors.New("away")}, 0, Claim{Alone: true}, []string{"0s"}},
		"a slow one":             {&teller{claim: store.Claim{Wait: time.Minute}, takes: []time.Duration{callTimeout + time.Second}}, 0, Claim{Alone: true}, []string{"0s"}},
		"one that stood still":   {&teller{claim: store.Claim{Token: "t"}, takes: []time.Duration{late}}, time.Second, Claim{Token: "t", Until: time.Unix(11, int64(late))}, []string{"11s", "11s"}},
		"one that does so twice": {&teller{takes: []time.Duration{late, late}}, 0, Claim{Alone: true}, []string{"0s", "0s"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, called := time.Now(), 0
			c := &Claims{Store: test.store, Coder: new(entry.Coder), Now: func() int64 { return now }, Called: func(_ context.Context, call string, _ time.Time, err error) {
				assert.Equal(t, "claim", call)
				called++
			}}
			got := c.Claim(t.Context(), key, "", test.fetch)
			if !test.want.Until.IsZero() {
				test.want.Until = began.Add(test.want.Until.Sub(time.Unix(0, 0)))
			}
			assert.Equal(t, test.want, got, name)
			assert.Equal(t, test.calls, test.store.calls, name)
			assert.Equal(t, len(test.calls), called, name)
		})
	}
	assert.Equal(t, Claim{Alone: true}, new(Claims).Claim(t.Context(), key, "", time.Second))
}

// A claim is made, and an entry is put, also for a request that has ended. A look ends with its request.
func TestEndedRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := &teller{claim: store.Claim{Token: "t"}}
	var failed []string
	c := &Claims{Store: s, Coder: new(entry.Coder), Now: func() int64 { return 0 }, Called: func(_ context.Context, call string, _ time.Time, err error) {
		if err != nil {
			failed = append(failed, call)
		}
	}}
	assert.True(t, c.Claim(ctx, "key", "", 0).Alone)
	assert.Equal(t, "t", c.Claim(ctx, "key", "", time.Second).Token)
	c.Put(ctx, "key", "t", new(entry.Entry), time.Hour)
	c.Put(ctx, "key", "t", nil, 0)
	assert.Equal(t, []string{"0s", "11s", "t", "t back"}, s.calls)
	assert.Equal(t, []string{"claim"}, failed)
}

package cachefile

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const key = "bot https://a.example"

func answer(body string) []byte {
	return (&entry.Entry{Answer: &entry.Answer{Status: 200, Body: []byte(body)}}).Encode(key)
}

func failure(status int) []byte {
	return (&entry.Entry{Failure: &entry.Failure{Tries: 1, Status: status}}).Encode(key)
}

// put puts a record into a store, as a fetch does.
func put(t *testing.T, s store.Store, form []byte) {
	claim, err := s.Claim(t.Context(), key, "", time.Minute)
	if err == nil && claim.Entry != nil {
		claim, err = s.Claim(t.Context(), key, claim.Version, time.Minute)
	}
	require.NoError(t, err)
	require.NotEmpty(t, claim.Token)
	require.NoError(t, s.Put(t.Context(), key, claim.Token, form, time.Hour))
}

// look returns the record in a store.
func look(t *testing.T, s store.Store) []byte {
	claim, err := s.Claim(t.Context(), key, "", 0)
	require.NoError(t, err)
	return claim.Entry
}

func TestAnew(t *testing.T) {
	for _, test := range []struct {
		name              string
		before, put, want []byte
	}{
		{"an answer", nil, answer("new"), answer("new")},
		{"an answer after an answer", answer("old"), answer("new"), answer("new")},
		{"an answer after a failure", failure(500), answer("new"), answer("new")},
		{"a failure", nil, failure(500), failure(500)},
		{"a failure after an answer", answer("old"), failure(500), answer("old")},
		{"a failure after a failure", failure(503), failure(500), failure(500)},
		{"a failure after junk", []byte("junk"), failure(500), failure(500)},
		{"nothing", answer("old"), nil, answer("old")},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := new(memstore.Entries)
			if test.before != nil {
				put(t, store, test.before)
			}
			put(t, anew{Store: store}, test.put)
			assert.Equal(t, test.want, look(t, store))
			assert.Nil(t, look(t, anew{Store: store}))
		})
	}
}

// Another who asks at the same time is waited for.
func TestAnewWaits(t *testing.T) {
	store := new(memstore.Entries)
	_, err := store.Claim(t.Context(), key, "", time.Minute)
	require.NoError(t, err)
	claim, err := anew{Store: store}.Claim(t.Context(), key, "", time.Minute)
	require.NoError(t, err)
	assert.Positive(t, claim.Wait)
}

func TestSettle(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(w *watched, token string, cancel func())
		want time.Duration
	}{
		{"answered", func(w *watched, token string, _ func()) {
			w.Put(context.Background(), key, token, answer(""), time.Hour)
		}, time.Second},
		{"given back", func(w *watched, token string, _ func()) { w.Put(context.Background(), key, token, nil, 0) }, time.Second},
		{"never", func(*watched, string, func()) {}, answerTime},
		{"interrupted", func(_ *watched, _ string, cancel func()) { cancel() }, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w := &watched{Store: new(memstore.Entries), trouble: new(trouble)}
				w.settle(ctx) // nothing to wait for
				claim, err := w.Claim(ctx, key, "", time.Minute)
				require.NoError(t, err)
				began := time.Now()
				time.AfterFunc(time.Second, func() { test.end(w, claim.Token, cancel) })
				w.settle(ctx)
				assert.Equal(t, test.want, time.Since(began))
			})
		})
	}
}

// granting are Turns that answer each call in one way.
type granting struct {
	store.Turns
	grant store.Grant
	err   error
}

func (g granting) Take(context.Context, string, store.Ask) (store.Grant, error) {
	return g.grant, g.err
}

// A run goes on without turns that fail. It tells how long a request waits, and that one for robots.txt waits for the
// end of a break, unless the break is a long one: then nothing is asked.
func TestTurns(t *testing.T) {
	broken := errors.New("broken")
	ended, end := context.WithCancel(t.Context())
	end()
	for _, test := range []struct {
		name  string
		turns granting
		ask   store.Ask
		ctx   context.Context
		want  granting
		waits []time.Duration
		asks  []time.Duration
		long  bool // a break that is not waited for
	}{
		{"no wait", granting{}, store.Ask{}, t.Context(), granting{}, []time.Duration{0}, nil, false},
		{"a break", granting{grant: store.Grant{Wait: verb.LongBreak}}, store.Ask{}, t.Context(), granting{grant: store.Grant{Wait: verb.LongBreak}}, []time.Duration{verb.LongBreak}, []time.Duration{verb.LongBreak}, false},
		{"a long one", granting{grant: store.Grant{Wait: verb.LongBreak + 1}}, store.Ask{}, t.Context(), granting{grant: store.Grant{Wait: verb.LongBreak + 1}}, []time.Duration{verb.LongBreak + 1}, nil, true},
		{"a page", granting{grant: store.Grant{Wait: 1}}, store.Ask{Token: "x"}, t.Context(), granting{grant: store.Grant{Wait: 1}}, []time.Duration{1}, nil, false},
		{"too late", granting{grant: store.Grant{Wait: 1, Late: true}}, store.Ask{Token: "x"}, t.Context(), granting{grant: store.Grant{Wait: 1, Late: true}}, nil, nil, false},
		{"failed", granting{err: broken}, store.Ask{Token: "x", Gap: time.Second}, t.Context(), granting{grant: store.Grant{Wait: time.Second}}, []time.Duration{time.Second}, nil, false},
		{"failed, with slots", granting{err: broken}, store.Ask{Token: "x", Slots: 1}, t.Context(), granting{grant: store.Grant{Slot: true}}, []time.Duration{0}, nil, false},
		{"interrupted", granting{err: broken}, store.Ask{}, ended, granting{err: broken}, nil, nil, false},
	} {
		var failed trouble
		var waits, asks []time.Duration
		turns := turns{test.turns, func(d time.Duration) { waits = append(waits, d) }, func(origin string, d time.Duration) {
			assert.Equal(t, "https://a.example", origin)
			asks = append(asks, d)
		}, &failed}
		grant, err := turns.Take(test.ctx, "o https://a.example", test.ask)
		assert.Equal(t, test.want, granting{nil, grant, err}, test.name)
		assert.Equal(t, test.waits, waits, test.name)
		assert.Equal(t, test.asks, asks, test.name)
		assert.Equal(t, test.turns.err != nil && test.want.err == nil, failed.first() != nil, test.name)
		assert.Equal(t, test.long, turns.inBreak(test.ctx, key), test.name)
		assert.False(t, turns.inBreak(test.ctx, "nonsense"))
		turns.waits, turns.asks = nil, nil
		_, again := turns.Take(test.ctx, "o https://a.example", test.ask)
		assert.Equal(t, err, again, "nobody need be told")
	}
}

// In a long break, the last answer is shown to who asks for nothing new. No failure is.
func TestAnewInBreak(t *testing.T) {
	for _, test := range []struct {
		inBreak bool
		kept    []byte
		lease   time.Duration
		shown   bool
	}{
		{true, answer("x"), 0, true}, {true, failure(500), 0, false}, {true, answer("x"), time.Minute, false}, {false, answer("x"), 0, false},
	} {
		s := new(memstore.Entries)
		put(t, s, test.kept)
		claim, err := anew{s, func(context.Context, string) bool { return test.inBreak }}.Claim(t.Context(), key, "", test.lease)
		require.NoError(t, err)
		assert.Equal(t, test.shown, claim.Entry != nil, test)
	}
}

// Where not all can be kept, a run tells so in the end, and what went wrong first.
func TestOpenTellsInTheEnd(t *testing.T) {
	for want, errs := range map[string][]error{
		"": {store.ErrLost, os.ErrClosed, context.Canceled, nil},
		"not all that sites answered is in the cache: no space left": {nil, errors.New("no space left\nat all"), errors.New("another")},
	} {
		t.Setenv(Variable, folder(t))
		told := ""
		cache, end := Open(t.Context(), Options{}, func(err error) { told += err.Error() })
		for _, err := range errs {
			cache.Turns.(turns).note(err)
		}
		assert.Empty(t, told)
		end()
		assert.Equal(t, want, told)
	}
}

// After Clear, nothing is kept, and a site waits as if it had just been asked.
func TestClear(t *testing.T) {
	t.Setenv(Variable, folder(t))
	name, file, err := create()
	require.NoError(t, err)
	put(t, file, answer("x"))
	_, err = Clear()
	assert.EqualError(t, err, busy(name).Error())
	require.NoError(t, file.Close())
	cleared, err := Clear()
	require.NoError(t, err)
	assert.Equal(t, name, cleared)
	_, file, err = create()
	require.NoError(t, err)
	defer file.Close()
	assert.Nil(t, look(t, file))
	grant, err := file.Take(t.Context(), "lane", ask("a", time.Hour))
	require.NoError(t, err)
	assert.InDelta(t, time.Hour, grant.Wait, float64(time.Minute))
}

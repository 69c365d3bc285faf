package redisfleet_test

import (
	"testing"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// puts puts an entry that nobody else puts, and returns its version.
func puts(t testing.TB, f *redisfleet.Fleet, seen, entry string) (version string) {
	t.Helper()
	claim, err := f.Claim(t.Context(), "key", seen, gap)
	require.NoError(t, err)
	require.NotEmpty(t, claim.Token)
	require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte(entry), gap))
	return claim.Token
}

// Only an entry that is replaced by another takes a second call, which tells of it.
func TestPutIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	version := puts(t, f, puts(t, f, "", "the server learns"), "the scripts")
	for _, test := range []struct {
		entry string
		calls int
	}{{"first", 2}, {"first", 1}, {"first", 1}, {"First", 2}, {"", 2}, {"", 1}} {
		before := p.Count("EVALSHA")
		version = puts(t, f, version, test.entry)
		assert.Equal(t, test.calls, p.Count("EVALSHA")-before-1, "%q, beside the claim", test.entry)
	}
}

// If the reply to a Put is lost, nobody knows what it has replaced. It is told.
func TestPutIsToldIfItsReplyIsLost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	version := puts(t, f, "", "first")
	w := watch(t, open(t, s.url(), redisfleet.Options{}))
	w.zero(t)
	claim, err := f.Claim(t.Context(), "key", version, gap)
	require.NoError(t, err)
	p.Set(func(d *network.Does) { d.Drops = true })
	require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte("other"), gap))
	var told []store.Change
	for range 20 {
		if told = w.zero(t); len(told) > 0 {
			break
		}
	}
	assert.Equal(t, []store.Change{{Key: "key"}}, told)
}

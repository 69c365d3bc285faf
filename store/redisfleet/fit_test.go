package redisfleet_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever becomes wrong with a server stops turns within ten seconds. When it is set right,
// they go on, after a gap: what was reserved may be gone.
func TestServerFitsNoMore(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, wrong, right, want string }{
		{"it evicts", "CONFIG SET maxmemory-policy allkeys-lru", "CONFIG SET maxmemory-policy noeviction", "set it to noeviction"},
		{"another layout", "HSET test:{breaks}:generation layout 99", "HSET test:{breaks}:generation layout 3", "keeps its data in layout 99"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := startServer(t)
			f := open(t, s.url(), redisfleet.Options{})
			w := watch(t, f)
			w.zero(t)
			takes(t, f, lane, gapOf("a"))
			do(t, s.client(), test.wrong)
			began := time.Now()
			require.ErrorContains(t, w.ends(t), test.want, "what was reserved is not used any more")
			_, err := f.Take(t.Context(), lane, gapOf("b"))
			require.ErrorContains(t, err, test.want)
			assert.Less(t, time.Since(began), 10*time.Second)
			require.ErrorContains(t, watch(t, f).ends(t), test.want)
			require.NoError(t, f.Break(t.Context(), lane, time.Millisecond), "a break is told in any case")

			do(t, s.client(), test.right)
			eventually(t, "turns go on", func() bool {
				_, err := f.Take(t.Context(), lane, gapOf("b"))
				return err == nil
			})
			near(t, gap, takes(t, f, "another", gapOf("b")).Wait)
			watchesAgain(t, f)
		})
	}
}

// Who is alone does not go on at a server that does not fit.
func TestUnfitIsNotAway(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{Alone: 2})
	w := watch(t, f)
	w.zero(t)
	do(t, s.client(), "HSET test:{breaks}:generation layout 99")
	require.Error(t, w.ends(t))
	_, err := f.Take(t.Context(), lane, gapOf("a"))
	require.ErrorContains(t, err, "another version of this module")
}

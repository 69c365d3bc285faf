package redisfleet_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reports is a Report that is under way.
func reports(t *testing.T, f *redisfleet.Fleet, status store.Status) (w *watched, end func()) {
	w = &watched{make(chan store.Change, 1<<16), make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.err <- f.Report(ctx, func() store.Status { return status }, func(c store.Change) { w.changes <- c })
	}()
	end = func() { cancel(); <-ended }
	t.Cleanup(end)
	return w, end
}

// others returns the profiles that are told within some zero Changes.
func (w *watched) others(t *testing.T, zeros int) (profiles []string) {
	for range zeros {
		for _, c := range w.zero(t) {
			if c.Profile != "" {
				profiles = append(profiles, c.Profile)
			}
		}
	}
	return profiles
}

// Processes hear of those that are configured differently, again and again, and of no others.
func TestProfilesThatDiffer(t *testing.T) {
	t.Parallel()
	f := open(t, startDouble(t).url(), redisfleet.Options{})
	old, _ := reports(t, f, store.Status{Profile: "gap=1s"})
	alike, _ := reports(t, f, store.Status{Profile: "gap=1s", Health: "another"})
	old.zero(t)
	assert.Empty(t, append(old.others(t, 8), alike.others(t, 8)...))
	fresh, end := reports(t, f, store.Status{Profile: "gap=2s\nnew"})
	for _, of := range []struct {
		w    *watched
		want string
	}{{old, "gap=2s new"}, {alike, "gap=2s new"}, {fresh, "gap=1s"}} {
		told := of.w.others(t, 24) // ten seconds
		require.GreaterOrEqual(t, len(told), 2)
		for _, profile := range told {
			assert.Equal(t, of.want, profile)
		}
	}
	end()
	eventually(t, "nobody hears of a process that has ended", func() bool {
		return len(old.others(t, 12)) == 0
	})
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	long := strings.Repeat("x", 2000)
	one := open(t, s.url(), redisfleet.Options{Name: "one\ntwo"})
	w1, end := reports(t, one, store.Status{Profile: "gap=1s", Health: "hears\nall " + long})
	w2, _ := reports(t, open(t, s.url(), redisfleet.Options{}), store.Status{Profile: "gap=1s", Health: "deaf"})
	w3, _ := reports(t, open(t, s.url(), redisfleet.Options{}), store.Status{Profile: long})
	for _, w := range []*watched{w1, w2, w3} {
		for range 4 {
			w.zero(t)
		}
	}
	v, err := redisfleet.OpenViewer(s.url(), "test")
	require.NoError(t, err)
	t.Cleanup(v.Close)
	look := func() map[string]redisfleet.Process {
		all := make(map[string]redisfleet.Process)
		for p, err := range v.Processes(t.Context()) {
			require.NoError(t, err)
			all[p.Health[:4]] = p
		}
		return all
	}
	all := look()
	require.Len(t, all, 2, "a profile that is too long is not told")
	assert.Equal(t, "one two", all["hear"].Name)
	assert.Equal(t, "gap=1s", all["hear"].Profile)
	assert.Len(t, all["hear"].Health, 1024)
	assert.NotContains(t, all["hear"].Health, "\n")
	assert.Regexp(t, `.+:\d+`, all["deaf"].Name)
	end()
	eventually(t, "a process that has ended is forgotten", func() bool { return len(look()) == 1 })
}

// A server that takes no writes stops nobody from hearing, nor from being told of a break, although what
// processes tell of themselves is not kept.
func TestReportWithoutWrites(t *testing.T) {
	t.Parallel()
	for _, wrong := range []string{"CONFIG SET maxmemory 1", "CONFIG SET min-replicas-to-write 1", "REPLICAOF 127.0.0.1 1"} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			s := startServer(t)
			f := open(t, s.url(), redisfleet.Options{})
			do(t, s.client(), wrong)
			w, _ := reports(t, f, store.Status{Profile: "gap=1s"})
			for range int(5 * time.Second / (400 * time.Millisecond)) {
				w.zero(t)
			}
			require.Error(t, f.Break(t.Context(), lane, gap), "it is not kept")
			var told []store.Change
			for len(told) == 0 {
				told = w.zero(t)
			}
			assert.Equal(t, lane, told[0].Lane)
		})
	}
}

// Whoever writes there, the processes go on.
func TestProfilesAreSpoiled(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		do(t, c, "SET test:{breaks}:profiles junk")
		w, _ := reports(t, f, store.Status{Profile: "gap=1s"})
		w.others(t, 4)
		do(t, c, "ZADD test:{breaks}:profiles 9e15", strings.Repeat("\xff=|", 1<<18))
		do(t, c, "ZADD test:{breaks}:profiles 9e15", "\xff")
		told := w.others(t, 12)
		require.NotEmpty(t, told)
		for _, profile := range told {
			assert.Equal(t, "\xff", profile, "a profile that is too long is not told")
		}
	})
}

// After the server's clock was set back, an older break seems to last longer. All hear of the
// new one nevertheless.
func TestBreakAfterStepBack(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	w := watch(t, open(t, d.url(), redisfleet.Options{}))
	w.zero(t)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	d.step(-time.Minute)
	w.zero(t)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	var told []time.Duration
	for range 3 {
		for _, c := range w.zero(t) {
			told = append(told, c.Break)
		}
	}
	require.Len(t, told, 1)
	near(t, time.Minute+gap, told[0])
}

// A server that is full cannot keep a break, but all who listen hear of it.
func TestBreakIsToldWithoutMemory(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	w := watch(t, open(t, s.url(), redisfleet.Options{}))
	w.zero(t)
	do(t, s.client(), "CONFIG SET maxmemory 1")
	require.ErrorContains(t, f.Break(t.Context(), lane, gap), "out of memory")
	told := w.zero(t)
	for range 3 {
		told = append(told, w.zero(t)...)
	}
	require.NotEmpty(t, told)
	assert.Equal(t, lane, told[0].Lane)
	near(t, gap, told[0].Break)
}

// Operators see a process, too, whose turns fail because of another layout.
func TestReportTellsOfAProcessWhoseTurnsFail(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{Name: "one"})
	c := connect(t, d.Addr())
	do(t, c, "HSET test:{breaks}:generation layout 99")
	status := func() store.Status { return store.Status{Profile: "profile", Health: "turns_fail"} }
	for range 2 { // it knows of the layout by now
		require.ErrorContains(t, f.Report(t.Context(), status, func(store.Change) {}), "layout 99")
		v, err := redisfleet.OpenViewer(d.url(), "test")
		require.NoError(t, err)
		defer v.Close()
		var told []string
		for p, err := range v.Processes(t.Context()) {
			require.NoError(t, err)
			told = append(told, p.Name+" "+p.Health)
			do(t, c, "DEL", p.Key)
		}
		assert.Equal(t, []string{"one turns_fail"}, told)
	}
}

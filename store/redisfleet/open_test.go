package redisfleet_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/go-polite/polite/store/redisfleet/internal/signals"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// works checks that a fleet takes turns, knows and hears.
func works(t *testing.T, f *redisfleet.Fleet) {
	t.Helper()
	takes(t, f, lane, gapOf("a"))
	near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
	claim, err := f.Claim(t.Context(), "key", "", gap)
	require.NoError(t, err)
	require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap))
	w := watch(t, f)
	w.zero(t)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	for len(w.zero(t)) == 0 {
	}
}

func TestURLThatIsWrong(t *testing.T) {
	t.Parallel()
	const write, scheme = "write them as url.UserPassword does", "begin it with redis://"
	for _, test := range []struct{ url, want string }{
		{"", scheme},
		{"localhost:6379", scheme},
		{"localhost", scheme},
		{":hidden@localhost:6379", scheme},
		{"http://:hidden@localhost", scheme},
		{"redis://:hid#den@localhost", write},
		{"redis://:1234#hidden@localhost", write},
		{"redis://:hid/den@localhost", write},
		{"redis://:1234/hidden@localhost", write},
		{"redis://:hid?den@localhost", write},
		{"redis://:1234?hidden@localhost", write},
		{"redis://:hid%zzden@localhost", write},
		{"redis://:hid den@localhost", write},
		{"redis://:hid[den@localhost", write},
		{"redis://:hidden@[::1", write},
		{"redis://:hidden@host:port", write},
		{"redis://:hidden@localhost/abc", `invalid database number: "abc"`},
		{"redis://:hidden@localhost/1/2", "invalid URL path: /1/2"},
		{"redis://:hidden@localhost?db=x", `invalid database number: "x"`},
		{"redis://:hidden@localhost?dial_timeout=5", `invalid dial timeout: "5"`},
		{"redis://:hidden@localhost?master=crawl", "master_set"},
		{"unix://", "the path of the socket"},
		{"unix://:hidden@", "the path of the socket"},
	} {
		_, err := redisfleet.Open(t.Context(), test.url, redisfleet.Options{Prefix: "test"})
		require.ErrorContains(t, err, test.want, test.url)
		for _, secret := range []string{"hid", "den", "1234"} {
			assert.NotContains(t, err.Error(), secret, test.url)
		}
	}
}

func TestPasswordWithSpecialCharacters(t *testing.T) {
	t.Parallel()
	const password = "#/?%@: []&=+"
	s := startServer(t)
	do(t, s.client(), "ACL SETUSER crawler on ~* &* +@all", ">"+password)
	u := url.URL{Scheme: "redis", User: url.UserPassword("crawler", password), Host: s.address()}
	works(t, open(t, u.String(), redisfleet.Options{}))
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	works(t, open(t, s.url()+"/3", redisfleet.Options{}))
	assert.Zero(t, s.size(), "nothing is in database 0")
	_, err := redisfleet.Open(t.Context(), s.url()+"/99", redisfleet.Options{Prefix: "test"})
	require.ErrorContains(t, err, "out of range")
}

func TestUnixSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "socket")
	s := startServer(t, "--unixsocket", socket, "--requirepass", "secret")
	eventually(t, "the server listens there, too", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	works(t, open(t, "unix://:secret@"+socket, redisfleet.Options{}))
	s.kill()
	_, err = redisfleet.Open(t.Context(), "unix://:secret@"+socket, redisfleet.Options{Prefix: "test"})
	require.ErrorContains(t, err, "could not be reached")
}

func TestServerEvicts(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	_, err := redisfleet.Open(t.Context(), s.url(), redisfleet.Options{Prefix: "test"})
	require.ErrorContains(t, err, "maxmemory-policy allkeys-lru")
	require.ErrorContains(t, err, "noeviction")
}

// A client of the user's own may be made in any way.
func TestClientOfOnesOwn(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for name, option := range map[string]rueidis.ClientOption{
		"as it comes":          {},
		"RESP2":                {AlwaysRESP2: true, DisableCache: true},
		"no retries":           {DisableRetry: true},
		"one connection":       {ForceSingleClient: true, PipelineMultiplex: -1},
		"connections that end": {ConnLifetime: 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			option.InitAddress = []string{s.address()}
			c, err := rueidis.NewClient(option)
			require.NoError(t, err)
			t.Cleanup(c.Close)
			do(t, s.client(), "FLUSHALL")
			f, err := redisfleet.New(t.Context(), c, redisfleet.Options{Prefix: "test"})
			require.NoError(t, err)
			t.Cleanup(f.Close)
			works(t, f)
		})
	}
}

// The server comes back at another port, and the URL's name leads to it.
func TestServerMoves(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	takes(t, f, lane, gapOf("a"))
	w := watch(t, f)
	w.zero(t)
	s.kill()
	require.Error(t, w.ends(t))
	moved := startServer(t)
	p.Move(moved.address())
	eventually(t, "turns go on", func() bool {
		_, err := f.Take(t.Context(), "another", gapOf("b"))
		return err == nil
	})
	near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
	watchesAgain(t, f)
}

// Open ends with its context, whatever the server does.
func TestOpenEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	require.NoError(t, signals.Stop(s.process.Process))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := redisfleet.Open(ctx, s.url()+"?write_timeout=1h&dial_timeout=1h", redisfleet.Options{Prefix: "test"})
		ended <- err
	}()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorContains(t, err, "the server has not answered")
	case <-time.After(time.Minute):
		t.Fatal("Open does not end")
	}
}

// Who finds a server that has nothing of the fleet waits until others have told it again what they know.
func TestOpenWaitsAtAnEmptyServer(t *testing.T) {
	t.Parallel()
	const retold = 250 * time.Millisecond
	d := startDouble(t)
	took := func() time.Duration {
		began := time.Now()
		open(t, d.url(), redisfleet.Options{})
		return time.Since(began)
	}
	assert.GreaterOrEqual(t, took(), retold, "nothing is there")
	soonest := time.Hour
	for range 5 {
		soonest = min(soonest, took())
	}
	assert.Less(t, soonest, retold, "others are there")
	d.FlushAll()
	assert.GreaterOrEqual(t, took(), retold, "all was lost")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := redisfleet.Open(ctx, d.url(), redisfleet.Options{Prefix: "another"})
	assert.Error(t, err)
}

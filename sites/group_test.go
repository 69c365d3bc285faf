package sites_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestByDomain(t *testing.T) {
	for url, want := range map[string]string{
		"http://www.example.co.uk/": "example.co.uk",
		"https://EXAMPLE.com:8443/": "example.com",
		"http://a.b.example.com./":  "example.com",
		"http://me.github.io/":      "me.github.io",
		"http://www.exämple.com/":   "xn--exmple-cua.com",
		"http://localhost:8080/":    "localhost",
		"http://192.0.2.7/":         "192.0.2.7",
		"http://[2001:db8::7]:80/":  "2001:db8::7",
	} {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		require.NoError(t, err)
		assert.Equal(t, want, sites.ByDomain(req), url)
	}
	assert.Empty(t, sites.ByDomain(requestFor(t, "http:///")))
}

func requestFor(t *testing.T, url string) *http.Request {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	return req
}

// A resolver counts what it is asked.
type resolver struct {
	asked atomic.Int32
	takes time.Duration
	fails atomic.Bool
}

func (r *resolver) lookup(ctx context.Context, network, host string) ([]netip.Addr, error) {
	r.asked.Add(1)
	select {
	case <-time.After(r.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if r.fails.Load() {
		return nil, errors.New("no such host")
	}
	if network != "ip" || host == "empty.example.com" {
		return nil, nil
	}
	return []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("::ffff:192.0.2.9"), netip.MustParseAddr("192.0.2.10")}, nil
}

func TestByAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &resolver{takes: time.Second}
		key := sites.ByAddress(r.lookup)
		assert.Equal(t, "192.0.2.1", key(requestFor(t, "http://192.0.2.1:8080/")))
		assert.Equal(t, "192.0.2.1", key(requestFor(t, "http://[::ffff:192.0.2.1]/")))
		assert.Equal(t, "2001:db8::5", key(requestFor(t, "http://[2001:DB8::5]/")))
		assert.Zero(t, r.asked.Load())

		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { assert.Equal(t, "192.0.2.9", key(requestFor(t, "http://example.com/"))) })
		}
		all.Wait()
		assert.Equal(t, "192.0.2.9", key(requestFor(t, "http://EXAMPLE.com.:80/")))
		assert.EqualValues(t, 1, r.asked.Load())
		assert.Empty(t, key(requestFor(t, "http://empty.example.com/")))

		time.Sleep(11 * time.Minute)
		assert.Equal(t, "192.0.2.9", key(requestFor(t, "http://example.com/")))
		assert.EqualValues(t, 3, r.asked.Load())
	})
}

// A lookup that fails is not repeated at once, and one that does not end keeps nobody for long.
func TestByAddressThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(resolver)
		r.fails.Store(true)
		key := sites.ByAddress(r.lookup)
		for range 3 {
			assert.Empty(t, key(requestFor(t, "http://example.com/")))
		}
		assert.EqualValues(t, 1, r.asked.Load())
		r.fails.Store(false)
		time.Sleep(11 * time.Second)
		assert.Equal(t, "192.0.2.9", key(requestFor(t, "http://example.com/")))

		r = &resolver{takes: time.Hour}
		key = sites.ByAddress(r.lookup)
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Empty(t, key(requestFor(t, "http://example.com/").WithContext(ctx)))
		assert.Equal(t, time.Second, time.Since(began))
		assert.Empty(t, key(requestFor(t, "http://example.com/")))
		assert.Equal(t, 10*time.Second, time.Since(began))
		assert.EqualValues(t, 1, r.asked.Load())
	})
}

// Without a lookup, the resolver of the machine is asked.
func TestByAddressOfTheMachine(t *testing.T) {
	defer func(r *net.Resolver) { net.DefaultResolver = r }(net.DefaultResolver)
	var asked atomic.Int32
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		asked.Add(1)
		return nil, errors.New("no network")
	}}
	assert.Empty(t, sites.ByAddress(nil)(requestFor(t, "http://example.com/")))
	assert.Positive(t, asked.Load())
}

// Not more hosts are kept than there is room for.
func TestByAddressOfManyHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := new(resolver)
		key := sites.ByAddress(r.lookup)
		const hosts = 10_001
		for range 2 {
			for i := range hosts {
				key(requestFor(t, fmt.Sprintf("http://h%d.example.com/", i)))
			}
		}
		assert.Greater(t, r.asked.Load(), int32(hosts), "some were forgotten")
		assert.Less(t, r.asked.Load(), int32(2*hosts), "and not all")
	})
}

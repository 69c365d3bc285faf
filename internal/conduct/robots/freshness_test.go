package robots

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A site whose robots.txt has versions and outages.
type lively struct {
	mu      sync.Mutex
	version int
	down    bool
}

func (s *lively) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	etag := fmt.Sprintf(`"%d"`, s.version)
	time.Sleep(time.Second) // on the bubble's clock
	switch {
	case s.down:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.Header.Get("If-None-Match") == etag:
		w.WriteHeader(http.StatusNotModified)
	default:
		w.Header().Set("ETag", etag)
		fmt.Fprintf(w, "user-agent: *\ndisallow: /%d\n", s.version)
	}
}

// A year in the life of one origin, which is asked for a page every hour.
func TestYear(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	const day = 24 * time.Hour
	phases := []struct {
		name   string
		days   int
		change func(*lively)
		stale  bool // at the end
		asked  [2]int
	}{
		{"new", 60, func(s *lively) { s.version = 1 }, false, [2]int{60, 66}},
		{"an outage of 29 days", 29, func(s *lively) { s.down = true }, true, [2]int{29*24 - 24, 30 * 36}},
		{"recovered", 60, func(s *lively) { s.down = false }, false, [2]int{60, 66}},
		{"changed", 60, func(s *lively) { s.version = 2 }, false, [2]int{60, 66}},
		{"an outage of 31 days", 31, func(s *lively) { s.down = true }, true, [2]int{31*24 - 24, 32 * 36}},
		{"recovered, and changed", 60, func(s *lively) { s.down, s.version = false, 3 }, false, [2]int{60, 66}},
		{"the rest", 65, func(*lively) {}, false, [2]int{65, 71}},
	}
	for name, policy := range map[string]polite.Policy{"RFC 9309": {}, "Google": polite.Google(), "strict": polite.Strict()} {
		t.Run(name, func(t *testing.T) {
			if name != "RFC 9309" {
				long.Only(t)
			}
			synctest.Test(t, func(t *testing.T) {
				site := &lively{}
				web := origintest.NewInMemory(t)
				web.Robots("example.com", site.ServeHTTP)
				transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: web.Transport(t), Policy: policy}
				check := func(path string) polite.Decision {
					start := time.Now()
					decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: path})
					require.NoError(t, err)
					if len(web.Log()) > 1 {
						require.Zero(t, time.Since(start), "no request waits, but the first")
					}
					time.Sleep(2 * time.Second) // for what goes on in the background
					return decision
				}
				for _, phase := range phases {
					site.mu.Lock()
					phase.change(site)
					site.mu.Unlock()
					before := len(web.Log())
					begin := time.Now()
					for time.Since(begin) < time.Duration(phase.days)*day {
						current := fmt.Sprintf("/%d", site.version)
						decision := check(current)
						if time.Since(begin) > day+time.Hour {
							require.Equal(t, phase.stale, decision.Stale, "%s, after %v", phase.name, time.Since(begin))
							require.False(t, decision.Allowed, "%s, after %v", phase.name, time.Since(begin))
							require.Equal(t, !phase.stale, decision.Failing.IsZero())
						}
						require.Equal(t, polite.ReasonRule == decision.Reason, !decision.Allowed)
						require.Less(t, time.Until(decision.Next), day, "the next request")
						time.Sleep(time.Hour) // on the bubble's clock
					}
					asked := len(web.Log()) - before
					assert.GreaterOrEqual(t, asked, phase.asked[0], phase.name)
					assert.LessOrEqual(t, asked, phase.asked[1], phase.name)
				}
				decision := check("/3")
				assert.Equal(t, "http://example.com/robots.txt", decision.RobotsURL)
				assert.Less(t, time.Since(decision.Fetched), day)
				full := 0
				for _, arrival := range web.Log() {
					if arrival.Header.Get("If-None-Match") == "" {
						full++
					}
				}
				assert.Equal(t, 1, full, "all but the first are conditional")
			})
		})
	}
}

// Without a copy an outage denies all; what it means after 30 days is the
// policy's, however old the process is.
func TestLongOutage(t *testing.T) {
	for _, test := range []struct {
		policy  polite.Policy
		age     time.Duration // of the process when the outage begins
		allowed bool
		basis   string
	}{
		{polite.Policy{}, 0, false, "Unreachable: deny all"},
		{polite.Google(), 0, true, "LongOutage: allow all"},
		{polite.Google(), 40 * 24 * time.Hour, true, "LongOutage: allow all"},
		{polite.Strict(), 0, false, "Unreachable: deny all"},
	} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Status(503))
			transport := conduct.NewTransport(t, web)
			transport.Policy = test.policy
			_, err := conduct.Get(conduct.Client(transport), "http://other.example/") // its clock begins
			require.NoError(t, err)
			time.Sleep(test.age)
			web.Take()
			begin := time.Now()
			for hours := range 31 * 24 {
				decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: "/"})
				require.NoError(t, err)
				late := hours > 30*24
				require.Equal(t, late && test.allowed, decision.Allowed, "after %d hours", hours)
				if late {
					require.Equal(t, test.basis, decision.Basis)
				}
				require.True(t, begin.Equal(decision.Failing))
				require.False(t, decision.Stale)
				time.Sleep(time.Hour) // on the bubble's clock
			}
			assert.Len(t, web.Log(), 31*24, "once an hour")
		})
	}
}

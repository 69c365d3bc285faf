package robots

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// Every file of the corpus is the robots.txt of a host, every
// case a real request by a client of its agent; the server's log tells what the
// clients did, and each difference from Google's verdict has a known cause.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	bodies, cases := corpus.Load(t)
	if testing.Short() {
		cases = cases[:len(cases)/10]
	}

	web := origintest.New(t)
	for host, body := range bodies {
		web.Robots(host, origintest.Text(string(body)))
	}
	all := &tally{bodies: bodies, differ: make(map[corpus.Cause]int), robots: make(map[string]int), pages: make(map[string]int)}
	byAgent := make(map[string][]corpus.Case)
	for _, c := range cases {
		byAgent[c.Agent] = append(byAgent[c.Agent], c)
	}
	base := web.Transport(t)
	base.MaxIdleConns = 100
	base.MaxIdleConnsPerHost = 1
	agents := make(chan string)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for agent := range agents {
				all.run(t, &polite.Transport{
					UserAgent: token(agent), Agents: []string{token(agent)}, Base: base,
					Pace: polite.Pace{MaxDelay: polite.NoDelay}, // there is no need to wait for these sites
				}, byAgent[agent])
			}
		})
	}
	for _, agent := range slices.Sorted(maps.Keys(byAgent)) {
		agents <- agent
	}
	close(agents)
	workers.Wait()

	log := web.Log()
	assert.Equal(t, all.robots, count(log.Robots()), "robots.txt is asked for once by each client at each host, or itself sent as a page")
	assert.Equal(t, all.pages, count(log.Pages()), "what is allowed arrives, and nothing else")
	t.Logf("%6d cases, %d sent, %d refused, %d robots.txt", len(cases), len(log.Pages()), all.refused, len(log.Robots()))
	for _, cause := range corpus.Causes() {
		t.Logf("%6d differ from Google's verdict: %s", all.differ[cause], cause)
	}
}

// A tally collects what should have arrived, by agent, host and URI.
type tally struct {
	bodies map[string][]byte

	mu            sync.Mutex
	refused       int
	robots, pages map[string]int
	differ        map[corpus.Cause]int
}

func (a *tally) run(t *testing.T, transport *polite.Transport, cases []corpus.Case) {
	client := &http.Client{Transport: transport}
	asked := make(map[string]bool)
	for _, c := range cases {
		u, err := url.Parse(strings.Replace(c.URL, "example.com", c.Host, 1))
		if !assert.NoError(t, err) {
			continue
		}
		_, err = conduct.Get(client, u.String())
		if err != nil && !errors.Is(err, polite.ErrRefused) {
			t.Error(err)
			continue
		}
		a.record(t, c, u, err == nil, asked)
	}
}

func (a *tally) record(t *testing.T, c corpus.Case, u *url.URL, allowed bool, asked map[string]bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := token(c.Agent) + " " + c.Host + " "
	robotsTxt := u.RequestURI() == "/robots.txt"
	if !asked[c.Host] && !robotsTxt {
		asked[c.Host] = true
		a.robots[key+"/robots.txt"]++
	}
	switch {
	case !allowed:
		a.refused++
	case robotsTxt:
		a.robots[key+"/robots.txt"]++
	default:
		a.pages[key+u.RequestURI()]++
	}
	if allowed != c.Allowed {
		cause := c.Cause(a.bodies[c.Host])
		assert.NotEmptyf(t, cause, "%s at %s for %s: allowed %t, by Google %t", c.URL, c.Host, c.Agent, allowed, c.Allowed)
		a.differ[cause]++
	}
}

func count(log origintest.Log) map[string]int {
	counts := make(map[string]int)
	for _, arrival := range log {
		counts[arrival.Header.Get("User-Agent")+" "+arrival.Host+" "+arrival.URI]++
	}
	return counts
}

// token returns the product token to go by for a case's agent: the agent, but
// for those that are no token and that no file therefore can name.
func token(agent string) string {
	if robots.IsProductToken(agent) {
		return agent
	}
	return "NamedByNoFile"
}

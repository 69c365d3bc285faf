package queue_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// chain returns a web in which each host leads to the next by a redirect, all with a gap and robots.txt that take a
// moment: a.example to b.example to c.example to a.example. last has no further hop, and forbids /last.
func chain(hops int) *web {
	hosts := strings.Fields("a.example b.example c.example")
	return &web{site: func(host string) site {
		s := site{robots: delayed(10) + "disallow: /last\n", rules: 50 * time.Millisecond}
		s.page = func(path string) (int, http.Header) {
			var n int
			fmt.Sscanf(path, "/%d", &n)
			next := fmt.Sprintf("http://%s/%d", hosts[(n+1)%3], n+1)
			if n+1 == hops {
				next = fmt.Sprintf("http://%s/last", hosts[(n+1)%3])
			}
			return http.StatusFound, http.Header{"Location": {next}}
		}
		return s
	}}
}

// A refusal names the URL that was asked for first, however many hops were put off before. Nor does an owner who has
// agreed speak for the site of a hop.
func TestFirstURLOfHops(t *testing.T) {
	for hops := range 4 {
		synctest.Test(t, func(t *testing.T) {
			q, l := newQueue(chain(hops+1), polite.Pace{}), newLedger()
			q.Options = polite.Options{Agreed: true, Basis: "the contract"}
			if hops == 2 {
				q.Options.Agreed = false // a.example would let it pass
			}
			push(t, q, "a.example", 1)
			require.NoError(t, q.Run(t.Context(), 1, l.handle))
			var refusal *polite.DisallowedError
			require.Len(t, l.errors, 1)
			require.ErrorAs(t, l.errors[0], &refusal)
			assert.Equal(t, "http://a.example/0", refusal.From)
			assert.Contains(t, refusal.URL, "/last")
		})
	}
}

// A circle of redirects over sites with gaps ends where http.Client ends, and a CheckRedirect hears of all hops.
func TestCircleOfHops(t *testing.T) {
	for _, most := range []int{0, 4} {
		synctest.Test(t, func(t *testing.T) {
			w := chain(-1)
			q, l := newQueue(w, polite.Pace{}), newLedger()
			if most > 0 {
				q.Client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
					for i, before := range via {
						assert.Equal(t, fmt.Sprint("/", i), before.URL.Path)
					}
					if len(via) == most {
						return http.ErrUseLastResponse
					}
					return nil
				}
			}
			push(t, q, "a.example", 1)
			require.NoError(t, q.Run(t.Context(), 1, l.handle))
			require.Len(t, l.errors, 1)
			if most == 0 {
				assert.ErrorContains(t, l.errors[0], `": stopped after 10 redirects`, "with its URL")
				assert.Len(t, w.arrivals, 10)
			} else {
				assert.NoError(t, l.errors[0])
				assert.Len(t, w.arrivals, most)
			}
		})
	}
}

// A site that is down is given up as soon if redirects lead to it.
func TestHopToASiteThatIsDown(t *testing.T) {
	for most, own := range map[time.Duration]int{30 * time.Second: 0, 10 * time.Minute: 3} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{site: func(host string) site {
				return site{down: host == "down.example", page: func(path string) (int, http.Header) {
					return http.StatusFound, http.Header{"Location": {"http://down.example/from" + path}}
				}}
			}}
			q, l := newQueue(w, polite.Pace{}), newLedger()
			q.Options.MaxWait = most
			push(t, q, "down.example", own)
			push(t, q, "quick.example", 1)
			require.NoError(t, q.Run(t.Context(), 2, l.handle))
			require.Len(t, l.errors, own+1)
			for _, err := range l.errors {
				assert.ErrorIs(t, err, polite.ErrNoRules)
			}
			assert.LessOrEqual(t, time.Since(l.start), most)
		})
	}
}

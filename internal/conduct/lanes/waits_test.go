package lanes

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// waits have requests that wait for more than a minute. The first at each site begin at once.
var waits = []struct {
	name  string
	pace  polite.Pace
	hosts []string // one request to each, in this order
	page  http.HandlerFunc
	leak  bool // bodies stay open
	why   string
	lane  polite.Lane // what is known after a minute
}{
	{
		"a slow answer", polite.Pace{Concurrency: 1}, repeat("a1", 3), origintest.Delay(9*time.Minute, origintest.Text("slow")), false,
		"1 request has had no answer since " + at(0) + ": Pace.Concurrency allows no more",
		polite.Lane{Waiting: 2, Sent: 1, Cause: polite.CauseConcurrency, Since: began},
	},
	{
		"bodies that nobody closes", polite.Pace{Concurrency: 2}, repeat("a1", 3), origintest.Text("a page"), true,
		"2 answers are open, the oldest of a request of " + at(0) + ": are their bodies closed?",
		polite.Lane{Waiting: 1, Open: 2, Cause: polite.CauseBodies, Since: began},
	},
	{
		"the ceiling", polite.Pace{}, repeat("a1", 14), quickAtFirst, false,
		"6 requests have no answer, the oldest since " + at(0) + ": without a Pace.Concurrency, no more are sent",
		polite.Lane{Waiting: 2, Sent: 6, Cause: polite.CauseCeiling, Since: began.Add(20 * time.Millisecond)},
	},
	{
		"a gap", polite.Pace{MinDelay: 45 * time.Second}, repeat("a1", 5), origintest.Text("a page"), false,
		"there is a gap of 45s between two requests",
		polite.Lane{Waiting: 3, Cause: polite.CauseGap, Next: began.Add(90 * time.Second)},
	},
	{
		"a break", polite.Pace{}, repeat("a1", 3), origintest.Status(429, "Retry-After", "86400"), false,
		"the site has asked for a break until " + at(24*time.Hour),
		polite.Lane{Waiting: 2, Cause: polite.CauseBreak, Next: began.Add(24 * time.Hour)},
	},
	{
		"the gap of a group", polite.Pace{Group: &polite.Group{Key: firstLetter, MinDelay: 45 * time.Second}}, []string{"a1", "a2", "a3", "a4"}, origintest.Text("a page"), false,
		"in the group of the site: there is a gap of 45s between two requests",
		polite.Lane{Waiting: 1, Cause: polite.CauseGroup},
	},
	{
		"the limit of a group", polite.Pace{Group: &polite.Group{Key: firstLetter, Concurrency: 1}}, []string{"a1", "a1", "a1"}, origintest.Text("a page"), true,
		"in the group of the site: 1 answer is open, of a request of " + at(0) + ": is its body closed?",
		polite.Lane{Waiting: 2, Cause: polite.CauseGroup},
	},
}

// at returns a time in a bubble as it is told.
func at(after time.Duration) string { return began.Add(after).Local().Format(time.RFC3339) }

// began is when a bubble begins.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// quickAtFirst answers quickly until more could be sent than are, and then is slow.
func quickAtFirst(w http.ResponseWriter, r *http.Request) {
	takes := time.Hour
	if time.Since(began) < 20*time.Millisecond {
		takes = 10 * time.Millisecond
	}
	origintest.Delay(takes, origintest.Text("a page"))(w, r)
}

func firstLetter(req *http.Request) string { return req.URL.Host[:1] }

func repeat(host string, n int) []string { return slices.Repeat([]string{host}, n) }

// A request that has waited for a minute is told once for its lane, with what it waits for: also where
// nobody could foresee it. Cache.Lanes knows the same.
func TestWaits(t *testing.T) {
	for _, test := range waits {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				web := origintest.NewInMemory(t)
				for _, host := range test.hosts {
					web.Page(host, "/page", test.page)
				}
				var log conduct.Log
				tr := conduct.NewTransport(t, web)
				tr.Pace, tr.Cache, tr.Logger = test.pace, new(polite.Cache), log.Logger(slog.LevelWarn)
				tr.Sites = func(*http.Request) *polite.Options { return &polite.Options{Agreed: true} } // robots.txt takes no turn
				for _, host := range test.hosts {
					req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/page", nil)
					require.NoError(t, err)
					go func() {
						if resp, err := tr.RoundTrip(req); err == nil && !test.leak {
							resp.Body.Close()
						}
					}()
					synctest.Wait()
				}
				time.Sleep(59 * time.Second) // on the bubble's clock
				synctest.Wait()
				assert.Empty(t, log.Take())
				time.Sleep(2 * time.Second)
				synctest.Wait()
				told := log.Take()
				require.Len(t, told, 1)
				assert.Contains(t, told[0], "requests wait long for their turn")
				assert.Contains(t, told[0], test.why)
				last := "http://" + test.hosts[len(test.hosts)-1]
				for l := range tr.Cache.Lanes() {
					if l.Key == last {
						assert.Equal(t, last, l.Limit.Origin)
						l.Key, l.Limit, l.Since, l.Next = "", polite.Limit{}, l.Since.UTC(), l.Next.UTC()
						assert.Equal(t, test.lane, l)
						last = ""
					}
				}
				assert.Empty(t, last, "the lane is not told")
				cancel()
				synctest.Wait()
				assert.Empty(t, log.Take())
				for l := range tr.Cache.Lanes() {
					assert.Zero(t, l.Waiting+l.Sent+l.Open, l)
					assert.Empty(t, l.Why())
				}
			})
		})
	}
}

// If the requests under way have no answer, a request that waits because of them says so after five seconds, and what
// lets no more go. It is told once a minute. Where answers come, there is nothing to tell.
func TestSilenceIsToldSoon(t *testing.T) {
	for _, test := range []struct {
		name   string
		pace   polite.Pace
		answer time.Duration
		hosts  []string
		why    string // in a line that is told after five seconds; "" if none is
	}{
		{"long polls", polite.Pace{}, 50 * time.Second, repeat("a1", 5), "2 requests have no answer, the oldest since " + at(0) + ": the site bears no more"},
		{"a Concurrency", polite.Pace{Concurrency: 1}, 50 * time.Second, repeat("a1", 2), "1 request has had no answer since " + at(0) + ": Pace.Concurrency allows no more"},
		{"a Group", polite.Pace{Group: &polite.Group{Key: firstLetter, Concurrency: 1}}, 50 * time.Second, []string{"a1", "a2"}, "in the group of the site: 1 request has had no answer since " + at(0)},
		{"answers that come", polite.Pace{}, 2 * time.Second, repeat("a1", 50), ""},
		{"a gap", polite.Pace{MinDelay: 20 * time.Second}, 0, repeat("a1", 3), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Others(origintest.Delay(test.answer, origintest.Text("late")))
				var log conduct.Log
				tr := conduct.NewTransport(t, web)
				tr.Pace, tr.Logger = test.pace, log.Logger(slog.LevelInfo)
				tr.Sites = func(*http.Request) *polite.Options { return &polite.Options{Agreed: true} }
				for _, host := range test.hosts {
					go conduct.Visit(t.Context(), &http.Client{Transport: tr}, "http://"+host+"/")
					synctest.Wait()
				}
				time.Sleep(4 * time.Second)
				assert.Empty(t, log.Take())
				time.Sleep(2 * time.Second)
				synctest.Wait()
				told := log.Take()
				if time.Sleep(40 * time.Second); test.why != "" && assert.Len(t, told, 1) {
					assert.Contains(t, told[0], "level=INFO")
					assert.Contains(t, told[0], test.why)
				}
				assert.Equal(t, test.why == "", len(told) == 0)
				assert.Empty(t, log.Take(), "again")
				time.Sleep(10 * time.Minute)
			})
		})
	}
}

// Long polls in a lane of their own, without Backoff, hold up no page.
func TestLongPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/poll", origintest.Delay(time.Minute, origintest.Text("news")))
		tr := conduct.NewTransport(t, web)
		tr.Pace.Concurrency = 0
		client := &http.Client{Transport: tr}
		polls := polite.With(t.Context(), polite.Options{Key: "polls", Pace: &polite.Pace{Concurrency: polite.NoLimit, Backoff: polite.Backoff{Off: true}}})
		for range 20 {
			go conduct.Visit(polls, client, "http://example.com/poll")
		}
		synctest.Wait()
		assert.Len(t, web.Log().Pages(), 20)
		start := time.Now()
		assert.NoError(t, conduct.Visit(t.Context(), client, "http://example.com/page"))
		assert.Zero(t, time.Since(start))
		time.Sleep(time.Hour)
	})
}

// A cause is told again after an hour, and another one at once.
func TestWaitsAreToldByCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		var log conduct.Log
		tr := conduct.NewTransport(t, web)
		tr.Logger = log.Logger(slog.LevelInfo)
		tr.Pace = polite.Pace{Concurrency: 1, MinDelay: 50 * time.Second}
		told := func(why string) int { return strings.Count(log.String(), why) }
		conduct.Queued(conduct.Client(tr), 60)
		assert.Equal(t, 1, told("a gap of 50s"))
		resp, err := conduct.Client(tr).Get("http://example.com/open")
		require.NoError(t, err)
		time.AfterFunc(5*time.Minute, func() { resp.Body.Close() })
		conduct.Queued(conduct.Client(tr), 60)
		assert.Equal(t, 1, told("is its body closed?"))
		assert.Equal(t, 1, told("a gap of 50s"))
		conduct.Queued(conduct.Client(tr), 10)
		assert.Equal(t, 2, told("a gap of 50s"))
	})
}

// Where another process of the fleet has the starts, this is what is told.
func TestWaitsOfAFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web, turns := origintest.NewInMemory(t), new(memstore.Turns)
		var log conduct.Log
		other, tr := conduct.Sharing(t, web, turns), conduct.Sharing(t, web, turns)
		other.Pace.MinDelay, tr.Pace.MinDelay = 2*time.Minute, 2*time.Minute
		tr.Logger = log.Logger(slog.LevelWarn)
		_, err := conduct.Get(conduct.Client(other), "http://example.com/")
		require.NoError(t, err)
		_, err = conduct.Get(conduct.Client(tr), "http://example.com/")
		require.NoError(t, err)
		told := log.Take()
		require.Len(t, told, 1)
		assert.Contains(t, told[0], "Cache.Turns gives the starts before to other requests")
	})
}

// Lanes yields all lanes, and holds no lock while it does: what it yields may send requests, and end.
func TestLanesAreYieldedWithoutALock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sites = 2000
		web := origintest.NewInMemory(t)
		tr := conduct.NewTransport(t, web)
		tr.Cache, tr.Pace.MinDelay = new(polite.Cache), time.Second
		client, seen := conduct.Client(tr), make(map[string]bool)
		for i := range sites {
			_, err := conduct.Get(client, fmt.Sprintf("http://%d.example/", i))
			require.NoError(t, err)
		}
		for l := range tr.Cache.Lanes() {
			seen[l.Key] = true
			if len(seen)%100 == 0 {
				_, err := conduct.Get(client, l.Key+"/again")
				require.NoError(t, err)
			}
		}
		assert.Len(t, seen, sites)
		for range tr.Cache.Lanes() {
			break
		}
	})
}

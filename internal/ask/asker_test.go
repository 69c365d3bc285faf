package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/internal/tries"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crawler is an Asker for a site that answers with a text after a while, and what it has told.
type crawler struct {
	*Asker
	to          turns.Site
	text        string
	asked, told []string
}

const broken = "the site cannot answer"

// at calls f with a crawler, whose site takes so long for an answer.
func at(t *testing.T, takes time.Duration, f func(t *testing.T, c *crawler)) {
	synctest.Test(t, func(t *testing.T) {
		c := &crawler{to: turns.Site{Origin: here, Lane: fleet.OfOrigin(here), Pace: turns.Pace{Terms: lane.Terms{MaxQueue: 10}, MaxDelay: 30 * time.Second}}}
		lanes := fleet.New(1<<20, nil)
		memory := answers.New(1<<20, lanes.Bytes, nil)
		reader := answers.NewReader(memory)
		reader.MaxAge, reader.Timeout = day, 20*time.Second
		tell := func(format string, of ...any) { c.told = append(c.told, fmt.Sprintf(format, of...)) }
		c.Asker = New(Options{
			Desk: NewDesk(memory, nil, 2), Memory: reader, UserAgent: "ExampleBot/1.0", Agent: "examplebot", Agents: []string{"ExampleBot"},
			Taker: &turns.Taker{Lanes: lanes, Memory: reader},
			Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
				select {
				case <-time.After(takes):
					status := 200
					switch c.text {
					case "":
						status = 404
					case broken:
						status = 503
					}
					return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(c.text)), Request: req}, nil
				case <-req.Context().Done():
					return nil, context.Cause(req.Context())
				}
			}),
			Mark:    func(ctx context.Context) context.Context { return ctx },
			InBreak: func(time.Time) error { return errors.New("in a break") },
			Hooks: Hooks{
				Called:  func(context.Context, string, time.Time, error) {},
				Asked:   func(o origin.Origin, f Fetch) { c.asked = append(c.asked, fmt.Sprint("asked in ", f.Took)) },
				Changed: func(o origin.Origin, before, after *answers.Known) { tell("changed") },
				Delay: func(o origin.Origin, asked, kept time.Duration, refused bool) {
					tell("delay %v, not %v, %v", kept, asked, refused)
				},
			},
		})
		f(t, c)
	})
}

// What a fetch has brought is told: a change if a file takes the place of another, and a crawl-delay that is not kept.
func TestTells(t *testing.T) {
	const rules, other = "user-agent: *\ndisallow: /", "user-agent: *\ndisallow: /x"
	const long = "user-agent: *\ncrawl-delay: 31"
	for _, test := range []struct {
		texts  [2]string // of two fetches
		refuse bool
		gap    time.Duration
		want   []string // beside the fetches
	}{
		{texts: [2]string{rules, rules}},
		{texts: [2]string{"", ""}},
		{texts: [2]string{broken, rules}},
		{texts: [2]string{rules, broken}},
		{texts: [2]string{rules, other}, want: []string{"changed"}},
		{texts: [2]string{rules, ""}, want: []string{"changed"}},
		{texts: [2]string{"", rules}, want: []string{"changed"}},
		{texts: [2]string{"user-agent: *\ncrawl-delay: 30", "user-agent: *\ncrawl-delay: 30"}},
		{texts: [2]string{long, long}, gap: time.Minute},
		{texts: [2]string{long, long}, want: []string{"delay 30s, not 31s, false", "delay 30s, not 31s, false"}},
		{texts: [2]string{long, long}, refuse: true, gap: time.Minute, want: []string{"delay 1m0s, not 31s, true", "delay 1m0s, not 31s, true"}},
	} {
		at(t, time.Second, func(t *testing.T, c *crawler) {
			c.to.Pace.Refuse, c.to.Pace.Terms.Gap = test.refuse, test.gap
			for _, c.text = range test.texts {
				_, err := c.Ask(t.Context(), &c.to)
				require.NoError(t, err)
				time.Sleep(3 * day)
			}
			assert.Equal(t, []string{"asked in 1s", "asked in 1s"}, c.asked)
			assert.Equal(t, test.want, c.told)
		})
	}
}

// The longer robots.txt has not come, the later a request comes back: after a second, or the time of a fetch.
func TestGiveUp(t *testing.T) {
	for since, want := range map[time.Duration]time.Duration{
		0: time.Second, time.Second - 1: time.Second, time.Second + 1: time.Second + 1, 20*time.Second - 1: 20*time.Second - 1, time.Minute: 20 * time.Second,
	} {
		for _, full := range []bool{false, true} {
			at(t, time.Second, func(t *testing.T, c *crawler) {
				began := time.Now()
				time.Sleep(since)
				err := c.giveUp(t.Context(), &c.to, &impatience{since: began, why: "why", full: full, cause: io.EOF})
				cause := map[bool]lane.Cause{true: lane.Full, false: lane.Deadline}[full]
				assert.Equal(t, &lane.LateError{Turn: time.Now().Add(want), Cause: cause, Why: "why", Err: io.EOF, Unknown: true}, err)
			})
		}
	}
}

// Those that have given up come back one after the other, but not the requests of package queue, which tries one at a
// time. None comes back before the turn above.
func TestComeBack(t *testing.T) {
	for _, queue := range []bool{false, true} {
		at(t, time.Second, func(t *testing.T, c *crawler) {
			ctx := t.Context()
			if queue {
				ctx = tries.With(ctx, new(tries.Request), nil, 0, 0)
			}
			c.to.Pace.Terms.Gap = time.Second
			var turns []time.Duration
			for range 3 {
				err, _ := c.giveUp(ctx, &c.to, new(impatience)).(*lane.LateError)
				turns = append(turns, time.Until(err.Turn))
			}
			assert.Equal(t, queue, turns[0] == turns[2], turns)
			c.to.Group = &fleet.Group{Lane: fleet.OfUser("group"), Terms: lane.Terms{Gap: time.Minute}}
			_, err := c.Ask(ctx, &c.to)
			require.NoError(t, err)
			late, _ := c.giveUp(ctx, &c.to, new(impatience)).(*lane.LateError)
			assert.Equal(t, 59*time.Second, time.Until(late.Turn))
		})
	}
}

// Stop ends a flight for which dry runs alone wait. A dry run that comes for its answer when this is out of date asks
// again.
func TestAskDry(t *testing.T) {
	for name, test := range map[string]struct{ left, late, both, claimed bool }{
		"two dry runs": {}, "one has left": {left: true}, "one comes late": {late: true}, "and a request": {both: true},
		"another process asks": {claimed: true},
	} {
		at(t, time.Second, func(t *testing.T, c *crawler) {
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			if test.claimed {
				c.claims.Store = new(memstore.Entries)
				c.claims.Claim(ctx, entry.Key(c.Agent, here), "", time.Hour)
			}
			ended := make(chan error, 3)
			waits := []func() (*answers.Known, error){c.AskDry(t.Context(), &c.to), c.AskDry(ctx, &c.to)}
			if test.both {
				waits = append(waits, func() (*answers.Known, error) { return c.Ask(t.Context(), &c.to) })
			}
			if test.late {
				time.Sleep(3 * day)
			}
			for _, wait := range waits {
				go func() {
					_, err := wait()
					ended <- err
				}()
			}
			synctest.Wait()
			if test.left {
				leave()
				assert.Equal(t, context.Canceled, <-ended)
			}
			c.Stop()
			synctest.Wait()
			assert.Equal(t, map[bool]int{false: 0, true: 1}[test.left]+len(ended) == len(waits), !test.both, name)
			time.Sleep(time.Minute)
			for range len(ended) {
				assert.Equal(t, map[bool]error{false: errNobodyWaits, true: nil}[test.both], <-ended, name)
			}
		})
	}
}

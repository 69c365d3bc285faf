package pagecache

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// send sends a request for a URL along the trail.
func send(t *testing.T, trail *Trail, url string) error {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := trail.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	return err
}

func TestHops(t *testing.T) {
	trail := &Trail{Transport: &polite.Transport{UserAgent: "a", Trace: polite.Trace{Judged: NoteJudged}, Base: robotstxt.Everywhere("user-agent: *\ndisallow: /x\n")}}
	require.NoError(t, send(t, trail, "http://me:secret@a.example/y"))
	require.ErrorIs(t, send(t, trail, "http://a.example/x"), polite.ErrDisallowed)
	refused := errors.New("refused")
	trail.Fail(refused)

	hops := trail.Take()
	require.Len(t, hops, 2)
	assert.Equal(t, polite.ReasonNoRule, hops[0].Decision.Reason)
	assert.Equal(t, polite.ReasonRule, hops[1].Decision.Reason)
	hops[0].Decision, hops[1].Decision = polite.Decision{}, polite.Decision{}
	assert.Equal(t, []Hop{
		{Number: 1, Method: "GET", URL: "http://me:xxxxx@a.example/y", Status: 200},
		{Number: 2, Method: "GET", URL: "http://a.example/x", From: "http://me:xxxxx@a.example/y", Err: refused},
	}, hops)

	assert.Empty(t, trail.Take(), "each hop is told once")
	trail.Fail(refused)
	require.NoError(t, send(t, trail, "http://a.example/z"))
	assert.Equal(t, 1, trail.Take()[0].Number)
}

// Each hop is evaluated once, whatever comes of it.
func TestEvaluations(t *testing.T) {
	evaluations := 0
	trail := &Trail{Transport: &polite.Transport{
		UserAgent: "a", Trace: polite.Trace{Judged: NoteJudged}, Base: robotstxt.Everywhere("user-agent: *\ndisallow: /x\n"),
		Policy: polite.Policy{Exempt: func(*http.Request) bool {
			evaluations++
			return false
		}},
	}}
	for _, url := range []string{"http://a.example/y", "http://a.example/x", "http://a.example/robots.txt", "ftp://a.example/"} {
		evaluations = 0
		send(t, trail, url)
		assert.LessOrEqual(t, evaluations, 1, url)
	}
}

// A changing is a web whose robots.txt, which holds for a while, changes.
type changing struct {
	age           time.Duration // how long an answer holds
	until         time.Time
	before, after robotstxt.Everywhere
}

func (c changing) RoundTrip(req *http.Request) (*http.Response, error) {
	text := c.before
	if !time.Now().Before(c.until) {
		text = c.after
	}
	resp, err := text.RoundTrip(req)
	resp.Header = http.Header{"Cache-Control": {fmt.Sprintf("max-age=%.0f", c.age.Seconds())}}
	return resp, err
}

// If robots.txt is fetched again while a request waits, the new one decides.
func TestDecisionAfterWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := changing{5 * time.Minute, time.Now().Add(4 * time.Minute), robotstxt.Everywhere("user-agent: *\n"), robotstxt.Everywhere("user-agent: *\nallow: /b\n")}
		var waits []time.Duration
		overs := 0
		var asked []string
		trail := &Trail{
			Transport: &polite.Transport{UserAgent: "a", Trace: polite.Trace{Judged: NoteJudged}, Base: web, Pace: polite.Pace{MinDelay: 2 * time.Minute}},
			Asks:      func(u *url.URL) { asked = append(asked, u.Path) },
			Waits: func(d polite.Decision) func() {
				waits = append(waits, max(0, time.Until(d.Start)))
				return func() { overs++ }
			},
		}
		require.NoError(t, send(t, trail, "http://a.example/a"))
		time.Sleep(4*time.Minute - time.Second)
		require.NoError(t, send(t, trail, "http://a.example/a"))
		require.NoError(t, send(t, trail, "http://a.example/b"))

		hops := trail.Take()
		assert.Equal(t, polite.ReasonNoRule, hops[1].Decision.Reason)
		assert.Equal(t, polite.ReasonRule, hops[2].Decision.Reason)
		assert.Equal(t, []time.Duration{0, 0, 2 * time.Minute}, waits)
		assert.Equal(t, []string{"/a", "/a", "/b"}, asked)
		assert.Equal(t, 3, overs)
	})
}

package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWaiting(t *testing.T) {
	for _, test := range []struct {
		delay, siteDelay, wait time.Duration
		want                   string
	}{
		{5 * time.Second, 5 * time.Second, 4999 * time.Millisecond, "waiting 5s: crawl-delay of 5s asked by https://a.example"},
		{30 * time.Second, time.Minute, 29 * time.Second, "waiting 29s: crawl-delay of 1m0s asked by https://a.example"},
		{0, 0, 2 * time.Minute, "waiting 2m0s: a break (Retry-After) asked by https://a.example"},
		{5 * time.Second, 5 * time.Second, time.Minute, "waiting 1m0s: a break (Retry-After) asked by https://a.example"},
	} {
		d := polite.Decision{Origin: "https://a.example", Delay: test.delay, SiteDelay: test.siteDelay}
		assert.Equal(t, test.want, waiting(d, test.wait))
	}
}

func TestReportWait(t *testing.T) {
	in := func(wait time.Duration) time.Time { return time.Now().Add(wait) }
	for _, test := range []struct {
		name string
		json bool
		d    polite.Decision
		told bool
	}{
		{"long", false, polite.Decision{Allowed: true, Turn: in(time.Hour)}, true},
		{"not worth a word", false, polite.Decision{Allowed: true, Turn: in(longWait / 2)}, false},
		{"not at all", false, polite.Decision{Allowed: true}, false},
		{"is not sent", false, polite.Decision{Turn: in(time.Hour)}, false},
		{"to a program", true, polite.Decision{Allowed: true, Turn: in(time.Hour)}, false},
	} {
		var w bytes.Buffer
		report{w: &w, json: test.json}.wait(test.d).clear()
		assert.Equal(t, test.told, strings.HasPrefix(w.String(), "waiting 1h0m0s: "), "%s: %q", test.name, w.String())
		assert.Equal(t, test.told, w.Len() > 0, test.name)
	}
}

// An impatient is a Writer that ends the command when it is told to wait.
type impatient struct {
	bytes.Buffer
	leave context.CancelCauseFunc
}

func (w *impatient) Write(p []byte) (int, error) {
	if bytes.HasPrefix(p, []byte("waiting ")) {
		w.leave(errors.New("enough"))
	}
	return w.Buffer.Write(p)
}

func TestGetWaits(t *testing.T) {
	s := newSite(t, text("user-agent: *\ncrawl-delay: 20\n"), nil)
	ctx, leave := context.WithCancelCause(t.Context())
	stderr := &impatient{leave: leave}
	var stdout bytes.Buffer
	assert.Equal(t, 1, run(ctx, []string{"get", s.URL + "/a", s.URL + "/b"}, stdio{nil, &stdout, stderr}))
	lines := strings.Split(stderr.String(), "\n")
	require.Len(t, lines, 4)
	assert.Regexp(t, "^waiting [12][0-9]s: crawl-delay of 20s asked by "+s.URL+"$", lines[1])
	assert.Equal(t, "failed           "+s.URL+"/b  enough", lines[2])
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals())
}

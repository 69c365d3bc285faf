package restart_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// play starts a crawler that is played in the test's bubble. Its web is w, without sockets.
func play(t *testing.T, w *web, o order) *process {
	p, killed := newProcess(w, o), new(atomic.Bool)
	ctx, stop := context.WithCancel(t.Context())
	c := crawler{order: o, base: &direct{w, killed}, report: func(event string, at time.Time, about string) {
		if !killed.Load() {
			p.note(event, at, about)
		}
	}}
	p.stop, p.wait = stop, func() error { return nil }
	p.die = func() {
		synctest.Wait() // what is being written to the file is there, whole
		killed.Store(true)
		file, err := os.ReadFile(o.file)
		require.NoError(t, err)
		// What follows is written to a file that nobody reads.
		require.NoError(t, os.Remove(o.file))
		require.NoError(t, os.WriteFile(o.file, file, 0o600))
	}
	go func() {
		defer close(p.heard)
		c.live(ctx)
	}()
	return p
}

// A direct Base hands requests to a web, until the crawler is killed.
type direct struct {
	web    *web
	killed *atomic.Bool
}

func (d *direct) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{}) // waits for the turn
	}
	if d.killed.Load() {
		return nil, errors.New("the process is dead")
	}
	arriving := req.Clone(req.Context())
	arriving.Host = req.URL.Host
	answer := httptest.NewRecorder()
	d.web.ServeHTTP(answer, arriving)
	return answer.Result(), nil
}

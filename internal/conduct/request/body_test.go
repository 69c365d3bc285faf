package request

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A hook that panics before the request is handed on leaves no body open.
func TestBodyIsClosedIfAHookPanics(t *testing.T) {
	panics := func() { panic("a hook") }
	for name, set := range map[string]func(*polite.Transport){
		"Exempt": func(tr *polite.Transport) { tr.Policy.Exempt = func(*http.Request) bool { panics(); return false } },
		"Key":    func(tr *polite.Transport) { tr.Pace.Key = func(*http.Request) string { panics(); return "" } },
		"Sites":  func(tr *polite.Transport) { tr.Sites = func(*http.Request) *polite.Options { panics(); return nil } },
		"Judged": func(tr *polite.Transport) {
			tr.Trace = polite.Trace{Judged: func(*http.Request, polite.Ruling) { panics() }}
		},
	} {
		t.Run(name, func(t *testing.T) {
			transport := conduct.NewTransport(t, origintest.NewInMemory(t))
			set(transport)
			body := conduct.NewBody()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/", body)
			require.NoError(t, err)
			assert.PanicsWithValue(t, "a hook", func() { transport.RoundTrip(req) })
			assert.EqualValues(t, 1, body.Closed.Load())
		})
	}
}

// A request that goes back to the line, and whose body cannot be had again, fails with the error of
// GetBody, and nothing of it arrives.
func TestGetBodyThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "20"))
		transport := conduct.NewTransport(t, web)
		dials := &conduct.Connects{Takes: conduct.Always(0)}
		dials.Slowing(transport.Base.(*http.Transport))
		conduct.Fresh(transport)
		client := &http.Client{Transport: transport}
		for range 4 { // so that three can be under way
			_, err := conduct.Get(client, "http://example.com/")
			require.NoError(t, err)
		}
		dials.Change(conduct.Always(5 * time.Second))
		lost := errors.New("the body is lost")
		var under sync.WaitGroup
		for range 2 {
			under.Go(func() {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/form", conduct.NewBody())
				assert.NoError(t, err)
				req.GetBody = func() (io.ReadCloser, error) { return nil, lost }
				_, err = transport.RoundTrip(req)
				assert.ErrorIs(t, err, lost)
			})
		}
		synctest.Wait()
		dials.Change(conduct.Always(0))
		conduct.Get(client, "http://example.com/busy")
		under.Wait()
		for _, a := range web.Log() {
			assert.NotEqual(t, http.MethodPost, a.Method, "after %v", time.Since(a.Time))
		}
	})
}

package tdm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

func reader(send origintest.RoundTripper) *Reader {
	return &Reader{Shelf: Shelf{
		Client: &http.Client{Transport: send}, Refused: func(err error) bool { return errors.Is(err, errRefused) },
		Claims: claims.Claims{Now: since(time.Now()), Coder: new(entry.Coder), Called: func(context.Context, string, time.Time, error) {}},
	}}
}

// since returns a clock that began at a time.
func since(began time.Time) func() int64 { return func() int64 { return int64(time.Since(began)) } }

var errRefused = errors.New("refused")

func respond(body string) *http.Response {
	return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(body))}
}

func at(t *testing.T, host string) *url.URL {
	u, err := url.Parse("http://" + host + "/page")
	require.NoError(t, err)
	return u
}

// Many callers ask once between them. One that leaves does not disturb the others.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		r := reader(func(req *http.Request) (*http.Response, error) {
			asked.Add(1)
			select {
			case <-time.After(time.Minute):
				return respond(`[{"location": "/", "tdm-reservation": 1}]`), nil
			case <-req.Context().Done():
				return nil, context.Cause(req.Context())
			}
		})
		ctx, leave := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			_, err := r.Of(ctx, at(t, "a.example"))
			assert.ErrorIs(t, err, context.Canceled)
		})
		synctest.Wait() // it is the one that asks
		for range 10 {
			all.Go(func() {
				said, err := r.Of(t.Context(), at(t, "a.example"))
				assert.NoError(t, err)
				assert.Equal(t, usage.No, said.Of("/x").Allows(usage.TDM))
			})
		}
		brief, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		_, err := r.Of(brief, at(t, "a.example"))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		leave()
		all.Wait()
		assert.EqualValues(t, 2, asked.Load())
	})
}

// A refusal is not remembered, since nothing was sent.
func TestRefused(t *testing.T) {
	for _, s := range []store.Store{nil, new(memstore.Entries)} {
		refuse := true
		r := reader(func(*http.Request) (*http.Response, error) {
			if refuse {
				return nil, errRefused
			}
			return respond("[]"), nil
		})
		r.Claims.Store = s
		_, err := r.Of(t.Context(), at(t, "a.example"))
		assert.ErrorIs(t, err, errRefused)
		refuse = false
		_, err = r.Of(t.Context(), at(t, "a.example"))
		assert.NoError(t, err)
		_, err = r.Of(t.Context(), at(t, ""))
		assert.ErrorContains(t, err, "no host")
	}
}

// A process waits for another that asks, but not for ever.
func TestAnotherAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := reader(func(*http.Request) (*http.Response, error) { return respond("[]"), nil })
		r.Claims.Store = new(memstore.Entries)
		u, began := at(t, "a.example"), time.Now()
		o, err := origin.OfURL(u)
		require.NoError(t, err)
		r.Claims.Claim(t.Context(), r.key(o), "", time.Hour)
		_, err = r.Of(t.Context(), u)
		assert.NoError(t, err)
		assert.Equal(t, longestAsk, time.Since(began))
	})
}

// What is known stays within its bound, however many sites there are and whatever they say.
func TestBound(t *testing.T) {
	body := "[" + strings.Repeat(`{"location":"/a","tdm-reservation":1},`, 1000) + `{"location":"/","tdm-reservation":1}]`
	r := reader(func(*http.Request) (*http.Response, error) { return respond(body), nil })
	most := 0
	for i := range 100 {
		u := at(t, fmt.Sprint("site", i, ".example"))
		_, err := r.Of(t.Context(), u)
		require.NoError(t, err)
		o, err := origin.OfURL(u)
		require.NoError(t, err)
		require.Contains(t, r.known, o, "the last stays")
		counted := 0
		for _, e := range r.known {
			counted += e.size
		}
		require.Equal(t, counted, r.size)
		require.LessOrEqual(t, r.size, maxSize)
		most = max(most, r.size)
	}
	assert.Greater(t, most, maxSize/2, "it keeps what it can")
	assert.Less(t, len(r.known), 100)
}

// A body has a bound.
func TestTooLong(t *testing.T) {
	const reserved = `[{"location": "/", "tdm-reservation": 1}]`
	for size, problem := range map[int]string{robots.MaxSize: "", robots.MaxSize + 1: "too long", 600 << 10: "too long"} {
		r := reader(func(*http.Request) (*http.Response, error) {
			return respond(reserved + strings.Repeat(" ", size-len(reserved))), nil
		})
		said, err := r.Of(t.Context(), at(t, "a.example"))
		if problem == "" {
			assert.NoError(t, err)
			assert.Equal(t, usage.No, said.Of("/x").Allows(usage.TDM))
		} else {
			assert.ErrorContains(t, err, problem)
		}
	}
}

// The key of an entry is none of robots.txt, whatever the crawler is called.
func TestKey(t *testing.T) {
	o, err := origin.OfURL(at(t, "a.example"))
	require.NoError(t, err)
	for _, agent := range []string{"examplebot", "tdmrep.json"} {
		key := (&Shelf{Agent: agent}).key(o)
		_, ok := entry.OriginOf(key)
		assert.False(t, ok, key)
		assert.NotEqual(t, entry.Key(agent, o), key)
		assert.Contains(t, key, entry.Key(agent, o))
	}
}

// The page of a wall in place of the file says nothing, and is a failure: also with a status that says that
// there is no file.
func TestWall(t *testing.T) {
	const wall = `<html><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></html>`
	for _, status := range []int{200, 202, 401, 403, 404} {
		for body, want := range map[string]bool{wall: true, "<html><p>There is no such page.</p></html>": false} {
			r := reader(func(*http.Request) (*http.Response, error) {
				resp := respond(body)
				resp.StatusCode, resp.Header = status, http.Header{"Content-Type": {"text/html"}}
				return resp, nil
			})
			said, err := r.Of(t.Context(), at(t, "example.com"))
			assert.Zero(t, said)
			assert.Equal(t, want, err != nil, "%d %v", status, err)
		}
	}
}

// An answer holds for as long as it says, between the bounds of an answer for robots.txt.
func TestHolds(t *testing.T) {
	for want, came := range map[time.Duration]*entry.Answer{
		afterError: nil, known.MaxAge: {MaxAge: -1}, known.MinAge: {MaxAge: 0}, time.Hour: {MaxAge: time.Hour},
	} {
		assert.Equal(t, want, holds(came))
	}
	assert.Equal(t, known.MaxAge, holds(&entry.Answer{MaxAge: known.MaxAge + 1}))
}

package main

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shown returns the status page of a Cache.
func shown(cache *polite.Cache) string {
	w := httptest.NewRecorder()
	status(cache).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	return w.Body.String()
}

// The page shows the break of a site, and what waits for its end.
func TestBreak(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("shop.example", "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "60"))
		cache := new(polite.Cache)
		client := &http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t), Cache: cache}}
		assert.Contains(t, shown(cache), "0 origins are known")
		fetch(t.Context(), client, "http://shop.example/busy")
		until := time.Now().Add(time.Minute).Format(time.TimeOnly)
		ctx, stop := context.WithCancel(t.Context())
		go fetch(ctx, client, "http://shop.example/page")
		synctest.Wait()
		page := shown(cache)
		assert.Contains(t, page, "1 origins are known")
		assert.Contains(t, page, "Turns are those of this process alone.")
		assert.Regexp(t, `<td>http://shop.example<td>0<td>1<td>.*break.*<td>`+until+`<td>`+until, page)
		stop()
		synctest.Wait()
	})
}

// failing is a Turns that cannot be reached.
type failing struct{ store.Turns }

func (failing) Take(context.Context, string, store.Ask) (store.Grant, error) {
	return store.Grant{}, errors.New("no <connection>")
}

// The page shows whether turns can be had.
func TestHealth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		turns := new(memstore.Turns)
		for _, test := range []struct {
			turns store.Turns
			want  string
		}{
			{turns, "Turns are shared, and all is well."},
			{failing{turns}, "<b>Turns fail since " + time.Now().Format(time.TimeOnly) + ": no &lt;connection&gt;</b>"},
		} {
			transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t), Cache: &polite.Cache{Turns: test.turns}}
			transport.Pace.MinDelay = time.Second
			fetch(t.Context(), &http.Client{Transport: transport}, "http://shop.example/")
			synctest.Wait()
			assert.Contains(t, shown(transport.Cache), test.want)
			transport.CloseIdleConnections()
		}
		require.NotEmpty(t, web.Log())
	})
}

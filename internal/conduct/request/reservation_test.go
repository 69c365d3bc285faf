package request

import (
	"context"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const reservation = "/.well-known/tdmrep.json"

// reserved returns what a site reserves for a URL.
func reserved(t *testing.T, transport *polite.Transport, text string) (usage.Page, error) {
	u, err := url.Parse(text)
	require.NoError(t, err)
	return transport.Reservation(t.Context(), u)
}

// The site is asked once a day for its tdmrep.json, in its turn, whatever the purposes are.
func TestReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 5\ncontent-signal: ai-train=no\n"))
		web.Page("example.com", reservation, origintest.Text(`[{"location": "/open", "tdm-reservation": 0}, {"location": "/", "tdm-reservation": 1, "tdm-policy": "/terms"}]`))
		transport := conduct.NewTransport(t, web)
		transport.Policy.Purposes = []usage.Use{usage.TrainAI, usage.TDM}
		began := time.Now()
		for range 3 {
			page, err := reserved(t, transport, "http://example.com/page")
			require.NoError(t, err)
			assert.Equal(t, usage.No, page.Allows(usage.TDM))
			assert.Equal(t, "/terms", page.TDMPolicy)
			page, err = reserved(t, transport, "http://example.com/open/1")
			require.NoError(t, err)
			assert.Equal(t, usage.Yes, page.Allows(usage.TDM))
		}
		assert.Equal(t, []string{reservation}, paths(web))

		_, err := conduct.Get(conduct.Client(transport), "http://example.com/sitemap.xml")
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(began), 5*time.Second, "it took a turn")
		time.Sleep(24 * time.Hour)
		_, err = reserved(t, transport, "http://example.com/page")
		require.NoError(t, err)
		assert.Equal(t, []string{reservation, "/sitemap.xml", reservation}, paths(web))
	})
}

// What says nothing of the file is an error, and the file is asked for again. What says that there is
// none reserves nothing, for a day.
func TestReservationByStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		for _, test := range []struct {
			says  bool
			codes []int
		}{
			{true, []int{401, 403, 404, 405, 410, 451}},
			{false, []int{206, 407, 408, 412, 416, 417, 421, 425, 429, 500, 503, 599}},
		} {
			for _, code := range test.codes {
				host := fmt.Sprintf("s%d.example", code)
				web.Page(host, reservation, origintest.Status(code))
				page, err := reserved(t, transport, "http://"+host+"/page")
				assert.Equal(t, test.says, err == nil, "%d: %v", code, err)
				assert.True(t, page.IsZero(), code)
				time.Sleep(2 * time.Minute)
				reserved(t, transport, "http://"+host+"/page")
				assert.Equal(t, test.says, len(web.Log().At(host).Pages()) == 1, "%d is asked for again", code)
			}
		}
	})
}

// Without the file, nothing is reserved. If the site cannot say, there is an error, and it is
// not asked again for a minute. A file that robots.txt disallows is not asked for.
func TestNoReservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("none.example", reservation, origintest.Status(404))
		web.Page("html.example", reservation, origintest.Text("<html>not found"))
		web.Page("down.example", reservation, origintest.Status(500), origintest.Text(`[{"location": "/", "tdm-reservation": 1}]`))
		web.Page("brief.example", reservation, conduct.MaxAge(origintest.Text("[]"), 600))
		web.Page("away.example", reservation, origintest.Redirect("http://10.0.0.1/"))
		for _, host := range []string{"moved.example", "lost.example"} {
			web.Page(host, reservation, origintest.Redirect("/4"))
			for hop := 4; hop > 0; hop-- {
				web.Page(host, fmt.Sprint("/", hop), origintest.Redirect(fmt.Sprint("/", hop-1)))
			}
			web.Page(host, "/0", origintest.Text("[]"))
		}
		web.Page("lost.example", "/0", origintest.Redirect("/more"))
		web.Robots("shut.example", origintest.Text("user-agent: *\ndisallow: /.well-known\n"))
		transport := conduct.NewTransport(t, web)
		for _, host := range []string{"none.example", "html.example", "brief.example", "moved.example"} {
			for range 2 {
				page, err := reserved(t, transport, "http://"+host+"/page")
				assert.NoError(t, err, host)
				assert.True(t, page.IsZero(), host)
			}
		}
		for range 2 {
			_, err := reserved(t, transport, "http://down.example/page")
			assert.ErrorContains(t, err, "500")
		}
		_, err := reserved(t, transport, "http://away.example/page")
		assert.ErrorIs(t, err, public.ErrPrivate)
		_, err = reserved(t, transport, "http://lost.example/page")
		assert.ErrorContains(t, err, "too many redirects", "more than five")
		_, err = reserved(t, &polite.Transport{UserAgent: "my bot"}, "http://none.example/page")
		assert.ErrorContains(t, err, "UserAgent")
		_, err = reserved(t, transport, "http://shut.example/page")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		_, err = reserved(t, transport, "ftp://shut.example/page")
		assert.ErrorContains(t, err, "http and https")
		assert.Len(t, web.Log().Pages(), 5+2*6)

		time.Sleep(11 * time.Minute)
		page, err := reserved(t, transport, "http://down.example/page")
		assert.NoError(t, err)
		assert.Equal(t, usage.No, page.Allows(usage.TDM))
		_, err = reserved(t, transport, "http://brief.example/page")
		assert.NoError(t, err)
		assert.Len(t, web.Log().Pages(), 7+2*6, "an answer holds for its max-age")
	})
}

// Processes that share a Store ask a site once between them, however many there are. A process
// that starts later does not ask while the answer holds, and knows when that ends.
func TestReservationInStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 5\n"))
		web.Page("example.com", reservation, origintest.Text(`[{"location": "/", "tdm-reservation": 1}]`))
		web.Page("down.example", reservation, origintest.Status(503), origintest.Text("[]"))
		entries := new(memstore.Entries)
		process := func() *polite.Transport {
			transport := conduct.NewTransport(t, web)
			transport.Cache = &polite.Cache{Store: entries}
			return transport
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				page, err := reserved(t, process(), "http://example.com/page")
				assert.NoError(t, err)
				assert.Equal(t, usage.No, page.Allows(usage.TDM))
				_, err = reserved(t, process(), "http://down.example/page")
				assert.ErrorContains(t, err, "503")
			})
		}
		all.Wait()
		assert.Len(t, web.Take().Pages(), 2, "one request to each site")

		time.Sleep(23 * time.Hour)
		later := process()
		for range 2 {
			page, err := reserved(t, later, "http://example.com/page")
			require.NoError(t, err)
			assert.Equal(t, usage.No, page.Allows(usage.TDM))
		}
		assert.Empty(t, web.Take().At("example.com").Pages())
		time.Sleep(time.Hour)
		_, err := reserved(t, later, "http://example.com/page")
		require.NoError(t, err)
		assert.Len(t, web.Log().At("example.com").Pages(), 1, "an answer from the Store holds no longer than another")
	})
}

// A process that is refused while it has the right to ask gives this right back at once.
func TestReservationGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ncrawl-delay: 30\n"))
		web.Page("example.com", reservation, origintest.Text("[]"))
		entries := new(memstore.Entries)
		first, second := conduct.NewTransport(t, web), conduct.NewTransport(t, web)
		first.Cache, second.Cache = &polite.Cache{Store: entries}, &polite.Cache{Store: entries}
		_, err := conduct.Get(conduct.Client(first), "http://example.com/page")
		require.NoError(t, err)
		brief, end := context.WithTimeout(t.Context(), 5*time.Second)
		defer end()
		_, err = first.Reservation(brief, &url.URL{Scheme: "http", Host: "example.com"})
		assert.ErrorIs(t, err, polite.ErrDelayed)
		began := time.Now()
		_, err = reserved(t, second, "http://example.com/page")
		assert.NoError(t, err)
		assert.Zero(t, time.Since(began))
	})
}

// A process that dies, or leaves, harms no other. A damaged entry is none.
func TestReservationClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", reservation, origintest.Text("[]"))
		entries := new(memstore.Entries)
		const key = "tdmrep.json examplebot http://example.com"
		_, err := entries.Claim(t.Context(), key, "", 10*time.Minute) // a process that dies
		require.NoError(t, err)
		transport := conduct.NewTransport(t, web)
		transport.Cache = &polite.Cache{Store: entries}
		brief, end := context.WithTimeout(t.Context(), time.Minute)
		defer end()
		_, err = transport.Reservation(brief, &url.URL{Scheme: "http", Host: "example.com"})
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, web.Log().Pages())
		_, err = reserved(t, transport, "http://example.com/page")
		assert.NoError(t, err)
		assert.Len(t, web.Take().Pages(), 1)

		time.Sleep(25 * time.Hour)
		c, err := entries.Claim(t.Context(), key, "", time.Minute)
		require.NoError(t, err)
		require.NotEmpty(t, c.Token)
		require.NoError(t, entries.Put(t.Context(), key, c.Token, []byte("damaged"), time.Hour))
		_, err = reserved(t, transport, "http://example.com/page")
		assert.NoError(t, err)
		assert.Len(t, web.Log().Pages(), 1)
	})
}

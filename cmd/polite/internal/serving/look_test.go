package serving_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const body = "user-agent: *\ndisallow: /x\n"

func parse(t *testing.T, s string) *url.URL {
	u, err := url.Parse(s)
	require.NoError(t, err)
	return u
}

// Each origin is asked once, and that of the URL also with HEAD and in the other name.
// Nothing but robots.txt is asked for.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(body))
		web.Robots("www.example.com", origintest.Redirect("https://example.com/robots.txt"))
		_, err := serving.NewAsker(web.Transport(t), nil, 0).Look(t.Context(), parse(t, "https://example.com/page"), serving.Browser())
		require.NoError(t, err)
		asked := make(map[string]int)
		for _, a := range web.Log() {
			asked[strings.Join([]string{a.Method, a.Host, a.URI, a.Header.Get("User-Agent")[:6]}, " ")]++
		}
		assert.Equal(t, map[string]int{
			"GET example.com /robots.txt polite":     4, // https and http, and the redirects of www
			"HEAD example.com /robots.txt polite":    1,
			"GET example.com /robots.txt Mozill":     1,
			"GET www.example.com /robots.txt polite": 2, // https and http
		}, asked)
	})
}

// A host that hangs does not hold up the others for longer than its timeout.
func TestHostHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(body))
		web.Robots("www.example.com", origintest.Hang)
		start := time.Now()
		site, err := serving.NewAsker(web.Transport(t), nil, 5*time.Second).Look(t.Context(), parse(t, "https://example.com/"))
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(start), 6*time.Second)
		assert.Equal(t, 200, site.Status)
		require.Len(t, site.Others, 3)
		assert.Equal(t, polite.ReasonUnreachable, site.Others[1].Reason)
	})
}

// A site that answers GET and hangs otherwise keeps nobody waiting for long.
func TestProbeHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("127.0.0.1", origintest.Text(body), origintest.Hang)
		start := time.Now()
		site, err := serving.NewAsker(web.Transport(t), nil, 0).Look(t.Context(), parse(t, "http://127.0.0.1/"), serving.Browser())
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(start), 15*time.Second)
		for _, f := range serving.Findings(site) {
			assert.NotContains(t, f.ID, "other-for")
		}
	})
}

// What a lifetime is told to be is what polite goes by: it asks again shortly before.
func TestLifetimeIsPolites(t *testing.T) {
	for control, want := range map[string]string{
		"": "1 day", "max-age=3600": "1 hour", "max-age=60": "5 minutes", "no-store": "5 minutes", "public, max-age=604800": "1 day", "max-age=5400": "90 minutes",
	} {
		web := origintest.New(t)
		web.Robots("example.com", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", control)
			origintest.Text(body)(w, r)
		})
		site, err := serving.NewAsker(web.Transport(t), nil, 0).Look(t.Context(), parse(t, "http://example.com/"))
		require.NoError(t, err)
		assert.Regexp(t, "its own +"+want, serving.Table(site, terminal.Style{}, 0))
		lifetime, err := time.ParseDuration(strings.NewReplacer("1 day", "24h", " hour", "h", " minutes", "m").Replace(want))
		require.NoError(t, err)
		holds := site.Next.Sub(site.Fetched)
		assert.LessOrEqual(t, holds, lifetime+time.Second, control)
		assert.GreaterOrEqual(t, holds, lifetime*8/10, control)
	}
}

func TestOrigins(t *testing.T) {
	for of, want := range map[string]string{
		"https://example.com/x":         "https://example.com http://example.com https://www.example.com http://www.example.com",
		"http://www.example.co.uk":      "http://www.example.co.uk https://www.example.co.uk https://example.co.uk http://example.co.uk",
		"https://shop.example.com/":     "https://shop.example.com http://shop.example.com",
		"https://EXAMPLE.com:443/":      "https://example.com http://example.com https://www.example.com http://www.example.com",
		"https://example.com:8443/":     "https://example.com:8443",
		"http://127.0.0.1/":             "http://127.0.0.1",
		"http://[::1]/":                 "http://[::1]",
		"http://localhost/":             "http://localhost",
		"https://co.uk/":                "https://co.uk http://co.uk",
		"https://www.com/":              "https://www.com http://www.com https://www.www.com http://www.www.com",
		"https://user:secret@a.example": "https://a.example http://a.example https://www.a.example http://www.a.example",
	} {
		var got []string
		for _, u := range serving.Origins(parse(t, of)) {
			got = append(got, u.String())
		}
		assert.Equal(t, want, strings.Join(got, " "), of)
	}
}

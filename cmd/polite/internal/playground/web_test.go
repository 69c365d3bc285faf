package playground

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func get(t *testing.T, transport http.RoundTripper, url string) (status int, location, body string) {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, resp.Header.Get("Location"), string(text)
}

func open(t *testing.T, pages map[string]http.Handler) *Web {
	web, err := Open(pages)
	require.NoError(t, err)
	t.Cleanup(web.Close)
	return web
}

func TestWeb(t *testing.T) {
	web := open(t, map[string]http.Handler{
		"http://a.example/":     Page{Status: 200, Body: "a"},
		"http://a.example/?b=c": Page{Status: 301, Location: "/"},
		"/everywhere":           Page{Status: 500, Body: "all"},
		"/silent":               http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
	})
	var want Log
	for _, test := range []struct {
		url            string
		status         int
		location, body string
	}{
		{"http://a.example/", 200, "", "a"},
		{"http://a.example/?b=c", 301, "/", ""},
		{"http://a.example:8080/", 404, "", "404 page not found\n"},
		{"http://b.example/", 404, "", "404 page not found\n"},
		{"http://b.example/everywhere", 500, "", "all"},
		{web.URL + "/everywhere", 500, "", "all"},
		{web.URL + "/silent", 200, "", ""},
	} {
		status, location, body := get(t, web.Transport(), test.url)
		assert.Equal(t, test.status, status, test.url)
		assert.Equal(t, test.location, location, test.url)
		assert.Equal(t, test.body, body, test.url)
		want = append(want, Arrival{"GET", test.url, test.status})
	}
	assert.Equal(t, want, web.Log())

	status, _, _ := get(t, http.DefaultTransport, web.URL+"/everywhere")
	assert.Equal(t, 500, status, "the server itself can be reached without its transport")
}

func TestLog(t *testing.T) {
	log := Log{{"GET", "http://a.example/", 200}, {"HEAD", "http://a.example/", 200}, {"GET", "http://b.example/", 404}}
	assert.Equal(t, 2, log.URLs())
	assert.Equal(t, log[2:], log.Only(func(a Arrival) bool { return a.Status == 404 }))
}

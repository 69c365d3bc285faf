package limit

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	// anubis is a page of a wall, as short as can be.
	anubis = `<!doctype html><html><head><title>One moment</title><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></head></html>`

	// guarded is a page of a site that a wall has let through, with a script of its operator.
	guarded = `<!doctype html><html><body><p>Shoes</p><script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script></body></html>`
)

// webPage answers with a page. header is names and values.
func webPage(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// What the page of a wall begins is told as what its header begins.
func TestWallIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		for i := range 5 {
			web.Page("example.com", fmt.Sprint("/", i), webPage(200, anubis))
		}
		tr := finding(t, web)
		var told []polite.Limit
		var log conduct.Log
		tr.Trace.Limited = func(l polite.Limit) { told = append(told, l) }
		tr.Logger = log.Logger(slog.LevelInfo)
		for i := range 5 {
			require.Empty(t, told, i)
			_, err := conduct.Get(conduct.Client(tr), fmt.Sprint("http://example.com/", i))
			require.NoError(t, err)
		}
		require.Len(t, told, 1)
		assert.Equal(t, polite.TroubleChallenged, told[0].Trouble)
		assert.InDelta(t, 1.05, time.Until(told[0].Until).Seconds(), 0.05)
		d := conduct.Decide(t, tr, "/")
		assert.Equal(t, told[0], d.Limit)
		assert.Contains(t, log.String(), "origin=http://example.com trouble=challenged")

		_, err := conduct.Get(conduct.Client(tr), "http://example.com/well")
		require.NoError(t, err)
		require.Len(t, told, 2)
		assert.Empty(t, told[1].Trouble)
	})
}

// Such a page is found however it comes, and is not looked for where there is nothing to look at, or where
// nobody wants to know.
func TestWhereAWallIsSeen(t *testing.T) {
	var zipped bytes.Buffer
	w, _ := gzip.NewWriterLevel(&zipped, gzip.NoCompression) // so that the mark stands there
	io.WriteString(w, anubis)
	w.Close()
	halves := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		for i := range anubis {
			io.WriteString(w, anubis[i:i+1])
			if i > 100 && i < 130 {
				http.NewResponseController(w).Flush()
			}
		}
	}
	for _, test := range []struct {
		name   string
		method string
		answer http.HandlerFunc
		header http.Header
		change func(*polite.Transport)
		seen   bool
	}{
		{name: "at once", answer: webPage(200, anubis), seen: true},
		{name: "octet by octet", answer: halves, seen: true},
		{name: "compressed for net/http", answer: webPage(200, zipped.String(), "Content-Encoding", "gzip"), seen: true},
		{name: "with an end that is cut", answer: webPage(200, anubis, "Content-Length", "4000"), seen: true},
		{name: "in a lane with slots", answer: webPage(200, anubis), change: func(tr *polite.Transport) { tr.Pace.Concurrency = 1 }, seen: true},
		{name: "in a group", answer: webPage(200, anubis), change: func(tr *polite.Transport) {
			tr.Pace.Group = &polite.Group{Key: func(*http.Request) string { return "all" }}
		}, seen: true},

		{name: "compressed for the caller", answer: webPage(200, zipped.String(), "Content-Encoding", "gzip"), header: http.Header{"Accept-Encoding": {"gzip"}}},
		{name: "a text", answer: webPage(200, anubis, "Content-Type", "text/plain")},
		{name: "after 4 KB", answer: webPage(200, "<html>"+strings.Repeat(" ", 4<<10)+anubis)},
		{name: "HEAD", method: http.MethodHead, answer: webPage(200, anubis)},
		{name: "a page that the caller has judged", answer: webPage(200, anubis), change: func(tr *polite.Transport) {
			tr.Pace.Backoff.Judge = func(*http.Request, *http.Response, error) polite.Load { return polite.LoadGood }
		}},
		{name: "a Backoff that is off", answer: webPage(200, anubis), change: func(tr *polite.Transport) { tr.Pace.Backoff.Off = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Page("example.com", "/", test.answer)
				tr := finding(t, web)
				if test.change != nil {
					test.change(tr)
				}
				challenged := 0
				tr.Trace.Limited = func(l polite.Limit) {
					if l.Trouble == polite.TroubleChallenged {
						challenged++
					}
				}
				for range 5 {
					assert.Zero(t, challenged)
					req, err := http.NewRequestWithContext(t.Context(), test.method, "http://example.com/", nil)
					require.NoError(t, err)
					req.Header = test.header.Clone()
					resp, err := tr.RoundTrip(req)
					require.NoError(t, err)
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				assert.Equal(t, test.seen, challenged == 1)
			})
		})
	}
}

// A body passes as it is: the octets, the end, and errors. A page that nobody reads is not read.
func TestPagesPassUnchanged(t *testing.T) {
	for name, text := range map[string]string{"of a wall": anubis, "of a site": guarded, "long": strings.Repeat(guarded, 1000)} {
		web := origintest.New(t)
		web.Page("example.com", "/", webPage(200, text))
		web.Page("example.com", "/cut", webPage(200, text, "Content-Length", fmt.Sprint(len(text)+1)))
		client := conduct.Client(conduct.NewTransport(t, web))
		for path, want := range map[string]error{"/": nil, "/cut": io.ErrUnexpectedEOF} {
			resp, err := client.Get("http://example.com" + path)
			require.NoError(t, err)
			read, err := io.ReadAll(resp.Body)
			assert.Equal(t, want, err)
			assert.Equal(t, text, string(read), name)
			n, err := resp.Body.Read(make([]byte, 1))
			assert.Zero(t, n)
			assert.Error(t, err)
			assert.NoError(t, resp.Body.Close())
			assert.NoError(t, resp.Body.Close())
		}
	}
	read := false
	base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		body := io.NopCloser(reading(func([]byte) (int, error) { read = true; return 0, io.EOF }))
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: body, Request: req}, nil
	})
	tr := &polite.Transport{UserAgent: conduct.UserAgent, Base: base}
	conduct.Know(t, tr, "example.com")
	read = false
	require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/"))
	assert.False(t, read)
}

type reading func([]byte) (int, error)

func (r reading) Read(p []byte) (int, error) { return r(p) }

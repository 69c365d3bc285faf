package robots

import (
	"io"
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

// The page of a wall in place of robots.txt says nothing of the site: no page arrives there, and polite asks
// again soon.
func TestWallInPlaceOfRobots(t *testing.T) {
	const page = `<!doctype html><html><head><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></head></html>`
	wall := func(status int, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	zipped := origintest.Compressed(page)
	for name, answer := range map[string]http.HandlerFunc{
		"200": wall(200, page), "202": wall(202, page), "401": wall(401, page), "403": wall(403, page), "404": wall(404, page),
		"200, as a text":      wall(200, page, "Content-Type", "text/plain"),
		"200, compressed":     wall(200, zipped, "Content-Encoding", "gzip"),
		"401, compressed":     wall(401, zipped, "Content-Encoding", "gzip"),
		"401, longer":         wall(401, page+strings.Repeat("<p>text</p>", 10_000)),
		"behind a redirect":   origintest.Redirect("/wall"),
		"200, to a condition": wall(200, page, "ETag", `"1"`),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", answer)
				web.Page("example.com", "/wall", wall(200, page))
				tr := conduct.NewTransport(t, web)
				for range 3 {
					_, err := conduct.Get(conduct.Client(tr), "http://example.com/page")
					d, ok := polite.DecisionOf(err)
					require.True(t, ok, err)
					assert.Equal(t, polite.ReasonUnreachable, d.Reason)
					assert.ErrorContains(t, d.Err, "a challenge for browsers")
					assert.LessOrEqual(t, time.Until(d.Next), time.Minute)
				}
				for _, arrival := range web.Log().Pages() {
					assert.Equal(t, "/wall", arrival.URI)
				}
			})
		})
	}
}

// A page of the site that says that there is no robots.txt need not come to its end.
func TestPageInPlaceOfRobots(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a page":                  func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html><p>No.</p>") },
		"one that never ends":     origintest.HangAfter("<html><p>No."),
		"one that is cut":         origintest.Cut("<html><p>No."),
		"one that is called gzip": origintest.Encoded("gzip", "<html><p>No.</p>"),
		"one in a broken coding":  origintest.Encoded("gzip", "\x1f\x8b\x08\x00"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", "text/html")
					answer(status{w, http.StatusNotFound}, r)
				})
				tr := conduct.NewTransport(t, web)
				tr.Policy.Timeout = time.Minute
				start := time.Now()
				_, err := conduct.Get(conduct.Client(tr), "http://example.com/page")
				require.NoError(t, err)
				assert.LessOrEqual(t, time.Since(start), 2*time.Second)
			})
		})
	}
}

// status is a ResponseWriter with a status for what is written.
type status struct {
	http.ResponseWriter
	code int
}

func (s status) Write(p []byte) (int, error) {
	s.WriteHeader(s.code)
	return s.ResponseWriter.Write(p)
}

func (s status) Unwrap() http.ResponseWriter { return s.ResponseWriter }

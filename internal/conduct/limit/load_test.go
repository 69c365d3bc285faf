package limit

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
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

// captcha finds a captcha in the first octets of a page.
func captcha(_ *http.Request, resp *http.Response, err error) polite.Load {
	if err != nil || resp.StatusCode != http.StatusOK {
		return polite.LoadAsUsual
	}
	head, _ := io.ReadAll(io.LimitReader(resp.Body, 16))
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	if strings.Contains(string(head), "captcha") {
		return polite.LoadBusy
	}
	return polite.LoadAsUsual
}

// A captcha with status 200 begins a break, and reaches the caller as it is.
func TestJudgeFindsACaptcha(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		const page = "a captcha, please: are you a robot?"
		web.Page("example.com", "/captcha", origintest.Text(page))
		var breaks []polite.Limit
		tr := finding(t, web)
		tr.Pace.Backoff.Judge = captcha
		tr.Trace.BreakBegan = func(b polite.Limit) { breaks = append(breaks, b) }
		resp, err := conduct.Client(tr).Get("http://example.com/captcha")
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, page, string(body))
		seen := time.Now()
		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/"))
		assert.InDelta(t, 1.05, time.Since(seen).Seconds(), 0.05)
		require.Len(t, breaks, 1)
		assert.Equal(t, http.StatusOK, breaks[0].Status)
	})
}

// If Judge panics, no turn is held, and the response is closed.
func TestJudgePanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		content := conduct.NewBody()
		base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			resp := w.Result()
			if req.URL.Path == "/" {
				resp.Body = content
			}
			resp.Request = req
			return resp, nil
		})
		panics := true
		tr := &polite.Transport{UserAgent: conduct.UserAgent, Base: base, Pace: polite.Pace{Concurrency: 1, Backoff: polite.Backoff{
			Judge: func(*http.Request, *http.Response, error) polite.Load {
				if panics {
					panic("in Judge")
				}
				return polite.LoadAsUsual
			},
		}}}
		assert.PanicsWithValue(t, "in Judge", func() { conduct.Get(conduct.Client(tr), "http://example.com/") })
		assert.EqualValues(t, 1, content.Closed.Load())
		panics = false
		asked := time.Now()
		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/next"))
		assert.Zero(t, time.Since(asked))
	})
}

// Judge sees answers and errors of the site alone, and each once.
func TestJudgeSeesAnswersAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "10")))
		var mu sync.Mutex
		judged, failed := make(map[string]int), errors.Join()
		tr := finding(t, web)
		tr.Pace.Backoff.Judge = func(req *http.Request, resp *http.Response, err error) polite.Load {
			mu.Lock()
			defer mu.Unlock()
			judged[req.URL.Path]++
			failed = errors.Join(failed, err)
			return polite.LoadAsUsual
		}
		conduct.Know(t, tr, "example.com")
		conduct.SlowToConnect(tr.Base.(*http.Transport), 3*time.Second, rand.New(rand.NewPCG(1, 2)))
		var all sync.WaitGroup
		for _, path := range []string{"/busy", "/1", "/2", "/3", "/4"} {
			all.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com"+path)) })
			synctest.Wait()
		}
		all.Wait()
		require.NoError(t, failed)
		for _, path := range []string{"/busy", "/1", "/2", "/3", "/4"} {
			assert.Equal(t, 1, judged[path], path)
		}
	})
}

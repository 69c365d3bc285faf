package polite

import (
	"context"
	"io"
	"math"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A base answers requests.
type base func(*http.Request) (*http.Response, error)

func (b base) RoundTrip(req *http.Request) (*http.Response, error) { return b(req) }

// answer returns an answer to req, with a header as "Name: value".
func answer(req *http.Request, status int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), Request: req}
	for _, field := range header {
		name, value, _ := strings.Cut(field, ": ")
		resp.Header.Set(name, value)
	}
	return resp
}

// A request that is sent back when its connection is ready is sent again, and nobody sees that.
func TestSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		transport := &Transport{UserAgent: "Bot/1.0", Base: base(func(req *http.Request) (*http.Response, error) {
			switch req.URL.Path {
			case "/robots.txt", "/":
				return answer(req, 404, ""), nil
			case "/busy":
				time.Sleep(time.Second)
				return answer(req, 429, "", "Retry-After: 60"), nil
			}
			time.Sleep(2 * time.Second) // it connects
			httptrace.ContextClientTrace(req.Context()).GotConn(httptrace.GotConnInfo{})
			defer req.Body.Close()
			if err := context.Cause(req.Context()); err != nil {
				return nil, err
			}
			body, err := io.ReadAll(req.Body)
			sent++
			return answer(req, 200, string(body)), err
		})}
		client := &http.Client{Transport: transport}
		resp, err := client.Get("http://a.example/") // so that robots.txt is known
		require.NoError(t, err)
		resp.Body.Close()
		go client.Get("http://a.example/busy")
		synctest.Wait()
		start := time.Now()
		req, err := http.NewRequest(http.MethodPost, "http://a.example/page", strings.NewReader("a=b"))
		require.NoError(t, err)
		req.Header.Set("User-Agent", "Bot/1.0")
		resp, err = transport.RoundTrip(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		assert.Equal(t, "a=b", string(body))
		assert.Same(t, req, resp.Request)
		assert.Equal(t, 1, sent)
		assert.GreaterOrEqual(t, time.Since(start), time.Minute)
	})
}

// Before a request is written, it is judged by the rules that are known then, and keeps to their delay.
func TestForbidsAtTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules, cache := "", new(Cache)
		site := base(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" && rules == "moved" {
				return answer(req, 302, "", "Location: http://b.example/robots.txt"), nil
			}
			return answer(req, 200, "user-agent: *\n"+rules, "Cache-Control: max-age=300"), nil
		})
		one, other := &Transport{UserAgent: "Bot/1.0", Base: site, Cache: cache}, &Transport{UserAgent: "Bot/1.0", Base: site, Cache: cache}
		other.Policy.CheckRedirect = func(*url.URL, *url.URL) error { return nil }
		ask := func(transport *Transport) (v judge.Verdict) {
			transport.init.Do(transport.setup)
			var to destination
			u := asks(t, "http://a.example/").URL
			_, _, err := transport.engine.look(t.Context(), u, &to, &v)
			require.NoError(t, err)
			synctest.Wait()
			return v
		}
		last := ask(one)
		var to destination
		_, err := one.engine.resolve(asks(t, "http://a.example/"), nil, &to)
		require.NoError(t, err)
		last.Found.Idle = math.MaxInt64 // it is likely to connect
		admission, ok := one.engine.taker.Begin(&to.Site, &last)
		require.True(t, ok)
		defer admission.Done()
		get, post, public := asks(t, "http://a.example/private"), asks(t, "http://a.example/private"), asks(t, "http://a.example/public")
		post.Body = io.NopCloser(strings.NewReader("a=b"))
		assert.Nil(t, one.engine.changed(get, admission.Ticket, new(judge.Verdict), 0))
		assert.Nil(t, one.engine.changed(get, nil, &last, 0))
		changed := one.engine.changed(public, admission.Ticket, &last, 30*time.Second)
		forbidden, gap := changed()
		assert.False(t, forbidden)
		assert.Zero(t, gap)
		time.Sleep(time.Hour)
		rules = "crawl-delay: 3600\ndisallow: /private\n"
		ask(one)
		for req, want := range map[*http.Request]bool{get: true, public: false} {
			forbidden, delay := one.engine.forbids(req, last.Known, nil)
			assert.Equal(t, want, forbidden)
			assert.Equal(t, time.Hour, delay)
		}
		forbidden, gap = changed()
		assert.False(t, forbidden)
		assert.Equal(t, 30*time.Second, gap, "MaxDelay")
		time.Sleep(time.Hour)
		rules = "moved"
		ask(other)
		for req, want := range map[*http.Request]bool{get: true, post: false} {
			forbidden, delay := one.engine.forbids(req, last.Known, nil)
			assert.Equal(t, want, forbidden, "it is to be found out first")
			assert.Zero(t, delay)
		}
		forbidden, _ = one.engine.forbids(asks(t, "http://c.example/"), last.Known, nil)
		assert.False(t, forbidden, "it was forgotten")
	})
}

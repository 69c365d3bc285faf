package request

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// assertPrintable checks that in text, of one line or more, nothing acts.
func assertPrintable(t *testing.T, text string, message ...any) {
	for line := range strings.SplitSeq(text, "\n") {
		assert.Equal(t, printable.Text(line), line, message...)
	}
}

// Whatever the parts of a decision are, its text is fit to be shown.
func TestHostileErrors(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			d := polite.Decision{
				URL: text, Agent: text, Group: text, Rule: robots.Rule{Pattern: "/" + text, Line: 2}, RobotsURL: text, Err: errors.New(text),
			}
			for _, err := range []error{&polite.DisallowedError{Decision: d}, &polite.NoRulesError{Decision: d}, &polite.DelayError{Decision: d, Why: text}} {
				assert.Equal(t, printable.Text(err.Error()), err.Error())
				assert.Contains(t, err.Error(), printable.Text(text), "it can be told what there was")
			}
		})
	}
}

// sendable returns text as it can stand in a query that net/http sends.
func sendable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return -1
		}
		return r
	}, strings.ReplaceAll(text, "#", "%23"))
}

// The same where a site has its say in all that it can, and in the log.
func TestHostileSite(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			sites := hostileSites(text)
			web := origintest.New(t)
			for host, robots := range sites {
				web.Robots(host, robots)
			}
			var plain, asJSON conduct.Log
			for _, log := range []slog.Handler{slog.NewTextHandler(&plain, nil), slog.NewJSONHandler(&asJSON, nil)} {
				transport := conduct.NewTransport(t, web)
				transport.Logger = slog.New(log)
				for host := range sites {
					query := sendable(text)
					assertTold(t, transport, &url.URL{Scheme: "http", Host: host, Path: "/" + text, RawQuery: query})
					assertTold(t, transport, &url.URL{Scheme: "http", Host: host, Opaque: "/" + query})
				}
			}
			assertPrintable(t, plain.String())
			assertPrintable(t, asJSON.String())
			assert.Equal(t, len(sites), strings.Count(plain.String(), "asked for robots.txt"))
			assert.Equal(t, 1, strings.Count(plain.String(), "hops=[http"), "%s", plain.String())
			hops := web.Log().At("other.example")
			assert.Len(t, hops, 2)
			for _, hop := range hops {
				assert.Contains(t, plain.String(), "http://other.example"+hop.URI, "what is told of it is what was asked for")
			}
		})
	}
}

// And where the host of a URL that a program puts together is such a text.
func TestHostileHost(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			var log conduct.Log
			transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: failing(text), Logger: log.Logger(slog.LevelInfo)}
			for _, u := range []*url.URL{{Host: "a" + text}, {Host: "a" + text, Opaque: "/"}, {Host: "a:" + text}, {Host: "[::1%" + text + "]"}, {Host: "a.example", User: url.UserPassword(text, text)}} {
				u.Scheme = "http"
				assertTold(t, transport, u)
			}
			assertPrintable(t, log.String())
		})
	}
}

// hostileSites returns sites that have text wherever a site can.
func hostileSites(text string) map[string]http.HandlerFunc {
	ofFile := strings.NewReplacer("#", "", "\r", "").Replace(text)
	ofURL := strings.NewReplacer("#", "%23", "\r", "", "\x00", "", "\v", "", "\f", "", "\t", "", "\b", "", "\x7f", "", "\x1b", "", "\a", "").Replace(text)
	redirect := func(to string) http.HandlerFunc {
		return origintest.Raw("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + to + "?" + ofURL + "\r\n\r\n")
	}
	return map[string]http.HandlerFunc{
		"rules.example":    origintest.Text("user-agent: *\ndisallow: /*" + ofFile + "*\ndisallow: /\n"),
		"status.example":   origintest.Raw("HTTP/1.1 " + text + "\r\n\r\n"),
		"header.example":   origintest.Raw("HTTP/1.1 200 OK\r\n" + text + "\r\n\r\n"),
		"encoding.example": origintest.Raw("HTTP/1.1 200 OK\r\nContent-Encoding: " + text + "\r\n\r\n"),
		"moved.example":    redirect("http://other.example/a"),
		"private.example":  redirect("http://127.0.0.1/a"),
	}
}

// assertTold checks that all that is told of a request for u is printable.
func assertTold(t *testing.T, transport *polite.Transport, u *url.URL) {
	d, err := transport.Check(t.Context(), u)
	if err != nil {
		assertPrintable(t, err.Error())
		return
	}
	assertPrintable(t, strings.Join(append(d.Hops, d.URL, d.Origin, d.RobotsURL, d.Group, d.Agent), " "), "%s", u.Host)
	if d.Err != nil {
		assertPrintable(t, d.Err.Error(), "%s", u.Host)
	}
	req := &http.Request{Method: http.MethodGet, URL: u, Header: http.Header{}}
	if _, err = transport.RoundTrip(req.WithContext(t.Context())); errors.Is(err, polite.ErrRefused) {
		assertPrintable(t, err.Error())
	}
}

// failing returns a RoundTripper that fails with text.
func failing(text string) http.RoundTripper {
	return origintest.RoundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New(text) })
}

// Without a Base, the header of an answer has a bound: net/http takes many times its size.
func TestHeaderBound(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			for i := range 40 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 10<<10))
			}
		}
	}))
	defer server.Close()
	transport := &polite.Transport{UserAgent: conduct.UserAgent}
	defer transport.CloseIdleConnections()
	_, err := conduct.Get(conduct.Client(transport), server.URL+"/short")
	assert.NoError(t, err)
	_, err = conduct.Get(conduct.Client(transport), server.URL+"/long")
	assert.ErrorContains(t, err, "header")
}

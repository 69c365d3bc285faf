package request_test

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A server of a test answers every path alike, also /robots.txt. What becomes of its page then stands in
// docs/clients.md. If it answers 404 for /robots.txt, all is as without polite.
func TestServersOfTests(t *testing.T) {
	upgrade := origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n")
	for _, test := range []struct {
		name    string
		answer  func() http.HandlerFunc
		refused bool // there are no rules
		fails   bool // the page has no answer, and arrived
		took    time.Duration
		apart   time.Duration // the same with a robots.txt of its own
	}{
		{name: "404", answer: always(origintest.Status(404))},
		{name: "200", answer: always(origintest.Text("<p>a page"))},
		{name: "500", answer: always(origintest.Status(500)), refused: true},
		{name: "waits", answer: always(origintest.Delay(20*time.Second, origintest.Text("a page"))), took: 40 * time.Second, apart: 20 * time.Second},
		{name: "waits for the test", answer: always(origintest.Hang), refused: true, took: 30 * time.Second, apart: time.Minute},
		{name: "hangs up", answer: always(origintest.Reset), refused: true},
		{name: "101", answer: always(upgrade), refused: true},
		{name: "endless", answer: always(origintest.HangAfter("data: 1\n\n")), refused: true, took: 30 * time.Second},
		{name: "closes a channel", answer: closesChannel, fails: true},
		{name: "counts", answer: counts},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, apart := range []bool{false, true} {
					web := origintest.NewInMemory(t)
					web.Others(test.answer())
					if apart {
						web.Page("", "/robots.txt", http.NotFound)
					}
					base := web.Transport(t)
					base.ResponseHeaderTimeout = time.Minute
					client, start := polite.Wrap(&http.Client{Transport: base}, conduct.UserAgent), time.Now()
					resp, err := client.Get("http://test.example/")
					if err == nil {
						resp.Body.Close()
					}
					took := time.Since(start).Truncate(time.Second)
					if apart {
						assert.NotErrorIs(t, err, polite.ErrRefused)
						assert.NotEmpty(t, web.Log().Pages()) // twice if it hangs up: net/http sends it again on a new connection
						assert.Equal(t, test.apart, took)
						continue
					}
					assert.Equal(t, test.refused, errors.Is(err, polite.ErrNoRules), "%v", err)
					assert.Equal(t, test.refused || test.fails, err != nil, "%v", err)
					assert.Equal(t, test.refused, len(web.Log().Pages()) == 0)
					assert.Equal(t, test.took, took)
				}
			})
		})
	}
}

func always(answer http.HandlerFunc) func() http.HandlerFunc {
	return func() http.HandlerFunc { return answer }
}

// closesChannel closes a channel with each request: net/http recovers from the panic of the second one, and
// hangs up.
func closesChannel() http.HandlerFunc {
	done := make(chan struct{})
	return func(http.ResponseWriter, *http.Request) { close(done) }
}

// counts answers with the number of the request.
func counts() http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 2 {
			io.WriteString(w, "the page is the second request")
		}
	}
}

package limit

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// An answer that looks like a block is told from the first on, once, before polite makes anything of it.
func TestBlockedIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		judge  func(*http.Request, *http.Response, error) polite.Load
		want   string
	}{
		"403":                  {answer: origintest.Status(http.StatusForbidden), want: "403 barred"},
		"a challenge":          {answer: webPage(503, "wait", "Cf-Mitigated", "challenge"), want: "503 challenged"},
		"a page of a wall":     {answer: webPage(200, anubis), want: "200 challenged"},
		"a page":               {answer: webPage(200, guarded)},
		"429":                  {answer: origintest.Status(http.StatusTooManyRequests)},
		"404":                  {answer: origintest.Status(http.StatusNotFound)},
		"403, which is normal": {answer: origintest.Status(http.StatusForbidden), judge: func(*http.Request, *http.Response, error) polite.Load { return polite.LoadNeutral }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Page("example.com", "/", test.answer)
				transport := finding(t, web)
				transport.Pace.Backoff.Judge = test.judge
				var told []string
				transport.Trace.Blocked = func(req *http.Request, status int, trouble polite.Trouble) {
					assert.Equal(t, "http://example.com/", req.URL.String())
					told = append(told, fmt.Sprint(status, " ", trouble))
				}
				conduct.Get(conduct.Client(transport), "http://example.com/")
				if test.want == "" {
					assert.Empty(t, told)
				} else {
					assert.Equal(t, []string{test.want}, told)
				}
			})
		})
	}
}

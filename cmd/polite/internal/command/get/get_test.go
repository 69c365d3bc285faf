package get

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A page that is given up tells why, and not what became of a context.
func TestGivenUp(t *testing.T) {
	base := origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if polite.ForRobots(req) {
			return origintest.Response(req, http.StatusNotFound, ""), nil
		}
		<-req.Context().Done()
		return nil, req.Context().Err()
	})
	for want, longest := range map[string]time.Duration{"it takes longer than the 10s of --max-time": 10 * time.Second, "enough": 0} {
		synctest.Test(t, func(t *testing.T) {
			transport := &polite.Transport{UserAgent: "ExampleBot", Base: base}
			g := getter{
				transport: transport, pages: &pagecache.Transport{Polite: transport}, wishes: wishes{longest: longest}, output: outputTo(nil, ""),
				report: report.Report{Work: new(report.Work)}, waits: new(report.Waits),
			}
			ctx, interrupt := context.WithCancelCause(t.Context())
			time.AfterFunc(time.Minute, func() { interrupt(errors.New("enough")) })
			hops := g.one(ctx, &url.URL{Scheme: "https", Host: "a.example", Path: "/"})
			assert.EqualError(t, hops[len(hops)-1].Err, want)
			time.Sleep(time.Hour) // all has ended
		})
	}
}

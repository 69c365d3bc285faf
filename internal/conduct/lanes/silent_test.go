package lanes

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
)

// silent is a Base that tells nothing of its connections.
func silent(base http.RoundTripper) http.RoundTripper {
	return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		ctx, cancel := context.WithCancelCause(context.Background())
		stop := context.AfterFunc(req.Context(), func() { cancel(context.Cause(req.Context())) })
		defer stop()
		return base.RoundTrip(req.WithContext(ctx))
	})
}

// The gap holds after a break, too, with a store and a Base that tells nothing of its connections.
func TestGapAfterABreakOfASilentBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const gap = 2 * time.Second
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/1", origintest.Status(429, "Retry-After", "5"))
		tr := conduct.Process(t, web, new(memstore.Store))
		tr.Pace.MinDelay = gap
		tr.Base = silent(tr.Base)
		conduct.Know(t, tr, "example.com")
		conduct.Queued(conduct.Client(tr), 6)
		for _, apart := range conduct.Gaps(web.Log().Pages()) {
			assert.GreaterOrEqual(t, apart, gap)
		}
		time.Sleep(time.Minute) // until nobody listens to the store
	})
}

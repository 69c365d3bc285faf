package hook

import (
	"context"
	"net/http"
	"sync"

	"github.com/go-polite/polite"
)

const (
	exempt = false
	off    = false
)

// politeTransports has a polite.Transport for each http.Transport.
var politeTransports sync.Map

// passedPolite marks the context of a request that polite sends.
type passedPolite struct{}

func init() {
	http.Politely = func(t *http.Transport, req *http.Request) (*http.Response, error) {
		if req.Context().Value(passedPolite{}) != nil || polite.ForRobots(req) {
			return t.PlainRoundTrip(req)
		}
		own, ok := politeTransports.Load(t)
		if !ok {
			own, _ = politeTransports.LoadOrStore(t, &polite.Transport{
				UserAgent: "TestBot/1.0 (+https://example.com/bot)",
				Base:      t,
				Pace:      polite.Pace{Backoff: polite.Backoff{Off: off}},
				Policy:    polite.Policy{Exempt: func(*http.Request) bool { return exempt }},
				// The servers of the tests have no robots.txt.
				Sites: func(*http.Request) *polite.Options { return &polite.Options{Agreed: true} },
			})
		}
		out := req.WithContext(context.WithValue(req.Context(), passedPolite{}, true))
		resp, err := own.(*polite.Transport).RoundTrip(out)
		if resp != nil && resp.Request == out {
			resp.Request = req
		}
		return resp, err
	}
}

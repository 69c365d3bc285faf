package lanes

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/sites"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// evening is Sites with a Pace for the afternoon, which is so long and begins with the first request, and
// one for the evening.
func evening(afternoon polite.Pace, long time.Duration, evening polite.Pace) func(*http.Request) *polite.Options {
	var noon atomic.Pointer[time.Time]
	return func(req *http.Request) *polite.Options {
		if now := time.Now(); req.URL.Path == "/0" {
			noon.CompareAndSwap(nil, &now)
		}
		if began := noon.Load(); began == nil || time.Since(*began) < long {
			return &polite.Options{Pace: &afternoon}
		}
		return &polite.Options{Pace: &evening}
	}
}

// Six requests come in the afternoon. Those that are the next in the evening go by its Pace.
func TestPaceOfTheEvening(t *testing.T) {
	slow, quick := polite.Pace{MinDelay: 10 * time.Second}, polite.Pace{MinDelay: time.Second}
	none, fleet := func(*polite.Transport) {}, func(tr *polite.Transport) { tr.Cache = &polite.Cache{Turns: new(memstore.Turns)} }
	group := func(tr *polite.Transport) {
		tr.Pace.Group = &polite.Group{Key: func(*http.Request) string { return "all" }, MinDelay: 500 * time.Millisecond}
	}
	for _, test := range []struct {
		name               string
		afternoon, evening polite.Pace
		long               time.Duration // is the afternoon
		edit               func(*polite.Transport)
		at                 []float64 // seconds
	}{
		{"slower", quick, slow, 2700 * time.Millisecond, none, []float64{0, 1, 2, 3, 13, 23}},
		{"faster", slow, quick, 15 * time.Second, none, []float64{0, 10, 20, 30, 31, 32}},
		{"fewer", polite.Pace{Concurrency: 2, MinDelay: time.Second / 10}, polite.Pace{Concurrency: 1}, 1500 * time.Millisecond, none, []float64{0, 0.1, 0.9, 1.0, 1.8, 2.7}},
		{"a group", quick, slow, 2700 * time.Millisecond, group, []float64{0, 1, 2, 3, 13, 23}},
		{"a fleet", quick, slow, 2700 * time.Millisecond, fleet, []float64{0, 1, 2, 3, 13, 23}},
		{"a fleet of groups", quick, slow, 2700 * time.Millisecond, func(tr *polite.Transport) { group(tr); fleet(tr) }, []float64{0, 1, 2, 3, 13, 23}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				for i := range 6 {
					web.Page("example.com", fmt.Sprint("/", i), func(http.ResponseWriter, *http.Request) { time.Sleep(900 * time.Millisecond) })
				}
				transport := conduct.NewTransport(t, web)
				test.edit(transport)
				defer transport.CloseIdleConnections()
				transport.Sites = evening(test.afternoon, test.long, test.evening)
				conduct.Know(t, transport, "example.com")
				for i, err := range conduct.Queued(conduct.Client(transport), 6) {
					require.NoError(t, err, i)
				}
				pages := web.Log().Pages()
				var paths string
				for i, page := range pages {
					paths += page.URI
					assert.InDelta(t, test.at[i], page.Time.Sub(pages[0].Time).Seconds(), 0.05, page.URI)
				}
				assert.Equal(t, "/0/1/2/3/4/5", paths, "in order")
			})
		})
	}
}

// Sites may use the Transport when it is asked again: no lock is held. A Pace that is always another
// one, and a Sites that takes its time, end.
func TestSitesThatAreBusyAtTheFront(t *testing.T) {
	for name, tr := range map[string]func(*polite.Transport){
		"alone":   func(*polite.Transport) {},
		"a fleet": func(tr *polite.Transport) { tr.Cache = &polite.Cache{Turns: new(memstore.Turns)} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				transport := conduct.NewTransport(t, web)
				tr(transport)
				defer transport.CloseIdleConnections()
				var calls atomic.Int64
				transport.Sites = func(req *http.Request) *polite.Options {
					if req.URL.Path != "/checked" {
						time.Sleep(100 * time.Millisecond)
						_, err := transport.Check(req.Context(), conduct.MustParse(t, "http://example.com/checked"))
						assert.NoError(t, err)
					}
					return &polite.Options{Pace: &polite.Pace{MinDelay: time.Second + time.Duration(calls.Add(1))*time.Millisecond}}
				}
				for _, err := range conduct.Queued(conduct.Client(transport), 10) {
					assert.NoError(t, err)
				}
				assert.Len(t, web.Log().Pages(), 10)
				assert.LessOrEqual(t, calls.Load(), int64(40), "two calls for a request, and one for each Check")
			})
		})
	}
}

// A line with hours holds for requests that came before these hours.
func TestHoursOfTheEvening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Duration(60-time.Now().Minute()) * time.Minute) // in any time zone, an hour begins
		hour := time.Now().Hour()
		table, err := sites.Parse("sites.txt", fmt.Sprintf("*  delay=10m\n*  delay=20m hours=%d-%d\n", (hour+1)%24, (hour+2)%24))
		require.NoError(t, err)
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Sites = table.Site
		for _, err := range conduct.Queued(conduct.Client(transport), 13) {
			require.NoError(t, err)
		}
		var minutes []int
		for _, gap := range conduct.Gaps(web.Log().Pages()) {
			minutes = append(minutes, int(gap.Minutes()))
		}
		assert.Equal(t, []int{10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 10, 10}, minutes)
	})
}

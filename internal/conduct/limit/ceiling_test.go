package limit

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without a setting, six requests are under way to a site at most, however much it bears: also beside one
// that was alone, and after a break. Users ask for another number, or for none.
func TestCeiling(t *testing.T) {
	for _, test := range []struct {
		name string
		pace polite.Pace
		most int
	}{
		{"without a setting", polite.Pace{}, 6},
		{"none", polite.Pace{Concurrency: polite.NoLimit}, 61},
		{"Concurrency", polite.Pace{Concurrency: 10}, 10},
		{"without a Backoff", polite.Pace{Backoff: polite.Backoff{Off: true}}, 61},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const takes = 500 * time.Millisecond
				web := origintest.NewInMemory(t)
				var pages atomic.Int32
				web.Page("example.com", "/page", origintest.Delay(takes, func(w http.ResponseWriter, r *http.Request) {
					if pages.Add(1) == 200 {
						w.Header().Set("Retry-After", "5")
						w.WriteHeader(http.StatusTooManyRequests)
					}
				}))
				tr := conduct.NewTransport(t, web)
				tr.Pace = test.pace
				conduct.Know(t, tr, "example.com")
				get := func() {
					_, err := conduct.Get(conduct.Client(tr), "http://example.com/page")
					assert.NoError(t, err)
				}
				get()
				var all sync.WaitGroup
				all.Go(get) // it is alone
				time.Sleep(takes / 5)
				for range 60 {
					all.Go(func() {
						for range 10 {
							get()
						}
					})
				}
				all.Wait()
				most := conduct.MostUnderWay(web.Log().Pages(), takes)
				assert.LessOrEqual(t, most, test.most)
				assert.GreaterOrEqual(t, most, test.most*9/10, "it is used")
			})
		})
	}
}

// One that was alone when it began counts, too, however long its answer takes.
func TestCeilingBesideOneThatWasAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		var mu sync.Mutex
		under, most := 0, 0
		count := func(by int) {
			mu.Lock()
			defer mu.Unlock()
			under += by
			most = max(most, under)
		}
		counted := func(takes time.Duration) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) {
				count(1)
				time.Sleep(takes)
				count(-1)
			}
		}
		web.Page("example.com", "/slow", counted(20*time.Second))
		web.Page("example.com", "/page", counted(500*time.Millisecond))
		tr := conduct.NewTransport(t, web)
		tr.Pace = polite.Pace{}
		get := func(path string) {
			_, err := conduct.Get(conduct.Client(tr), "http://example.com"+path)
			assert.NoError(t, err)
		}
		get("/page")
		var all sync.WaitGroup
		all.Go(func() { get("/slow") })
		time.Sleep(time.Second)
		for range 30 {
			all.Go(func() {
				for range 10 {
					get("/page")
				}
			})
		}
		all.Wait()
		assert.Equal(t, 6, most)
	})
}

// A request is under way until the header of its answer: a body that nobody closes holds nobody up.
func TestCeilingEndsWithTheHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/page", origintest.Text("a page"))
		tr := conduct.NewTransport(t, web)
		tr.Pace = polite.Pace{}
		var all sync.WaitGroup
		for i := range 30 {
			all.Go(func() {
				resp, err := conduct.Client(tr).Get(fmt.Sprint("http://example.com/page?", i))
				if assert.NoError(t, err) {
					t.Cleanup(func() { resp.Body.Close() })
				}
			})
		}
		all.Wait()
		require.Len(t, web.Log().Pages(), 30)
	})
}

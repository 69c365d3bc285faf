package answers

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
)

// The time of day is set while a process runs: an answer expires by the clock that ran
// further.
func TestTimeOfDay(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, test := range []struct {
		set  time.Duration
		asks bool
	}{{year, true}, {-year, false}, {25 * time.Hour, true}, {-25 * time.Hour, false}, {time.Hour, false}} {
		t.Run(fmt.Sprint(test.set), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var set atomic.Int64
				m := New(1<<20, func() int64 { return 0 }, func() time.Time { return time.Now().Add(time.Duration(set.Load())) })
				o := origin.Origin{Host: "example.com", Port: 80}
				answer := fetch.Answer{Status: 200, MaxAge: -1, Body: []byte("user-agent: *\ndisallow: /private\n")}
				r := NewReader(m)
				r.MaxAge = known.MaxAge
				m.Keep(o, Answered(nil, answer, nil, []string{"ExampleBot"}, m.Now()))
				set.Store(int64(test.set))
				for range 2 {
					time.Sleep(time.Minute)
					k, found, due := r.Find(t.Context(), o)
					assert.Equal(t, test.asks, due)
					assert.Equal(t, test.asks, found.State == known.Expired)
					assert.Equal(t, test.asks, k == nil)
				}
			})
		})
	}
}

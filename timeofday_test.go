package polite

import (
	"fmt"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The time of day is set while a process runs, or between two.
func TestTimeOfDay(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, test := range []struct {
		set   time.Duration
		asked int
	}{{year, 1}, {-year, 0}, {25 * time.Hour, 1}, {-25 * time.Hour, 0}, {time.Hour, 0}} {
		t.Run(fmt.Sprint(test.set), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /private\n"))
				at := &url.URL{Scheme: "http", Host: "example.com", Path: "/"}
				var set atomic.Int64
				transport := &Transport{UserAgent: "ExampleBot", Base: web.Transport(t)}
				transport.Cache = &Cache{timeOfDay: func() time.Time { return time.Now().Add(time.Duration(set.Load())) }}
				_, err := transport.Check(t.Context(), at)
				require.NoError(t, err)
				set.Store(int64(test.set))
				time.Sleep(time.Minute)
				_, err = transport.Check(t.Context(), at)
				require.NoError(t, err)
				time.Sleep(time.Minute)
				assert.Len(t, web.Log().Robots(), 1+test.asked)
			})
		})
	}
}

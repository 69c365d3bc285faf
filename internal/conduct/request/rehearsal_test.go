package request_test

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// reports are what a dry run has told.
type reports struct {
	mu   sync.Mutex
	told []error
}

func (r *reports) add(_ *http.Request, refusal error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, refusal)
}

// waits returns how long requests would have waited, in order.
func (r *reports) waits() (waits []time.Duration) {
	for _, err := range r.told {
		if late, ok := errors.AsType[*polite.DelayError](err); ok {
			waits = append(waits, late.Wait)
		}
	}
	return waits
}

// A crawl in a dry run takes as long as one of a plain client, whatever the site says, and all that would
// have been refused or late is told.
func TestDryRun(t *testing.T) {
	crawl := func(t *testing.T, transport func(*origintest.Server) http.RoundTripper) (took time.Duration, log origintest.Log) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Delay(5*time.Second, conduct.Delayed(10)))
		web.Robots("silent.example", origintest.Delay(time.Hour, origintest.Text("")))
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "100"))
		client, start := &http.Client{Transport: transport(web), Timeout: time.Minute}, time.Now()
		for i := range 20 {
			for _, url := range []string{fmt.Sprint("http://example.com/", i), fmt.Sprint("http://example.com/private/", i), "http://silent.example/"} {
				resp, err := client.Get(url)
				if assert.NoError(t, err) {
					resp.Body.Close()
				}
			}
			time.Sleep(time.Second)
		}
		took = time.Since(start)
		time.Sleep(2 * time.Minute) // so that all is told
		return took, web.Log()
	}
	synctest.Test(t, func(t *testing.T) {
		var told reports
		took, log := crawl(t, func(web *origintest.Server) http.RoundTripper {
			transport := conduct.NewTransport(t, web)
			transport.Pace.Concurrency = 1
			transport.Policy = polite.Policy{ReportOnly: told.add, Timeout: 30 * time.Second}
			return transport
		})
		synctest.Wait()
		assert.Less(t, took, 21*time.Second)
		assert.Len(t, log.At("example.com").Pages(), 40)
		assert.Len(t, log.At("silent.example").Pages(), 20)
		assert.Len(t, log.At("example.com").Robots(), 1)
		kinds := make(map[error]int)
		for _, err := range told.told {
			for _, kind := range []error{polite.ErrDisallowed, polite.ErrNoRules, polite.ErrDelayed} {
				if errors.Is(err, kind) {
					kinds[kind]++
				}
			}
		}
		assert.Equal(t, map[error]int{polite.ErrDisallowed: 20, polite.ErrNoRules: 20, polite.ErrDelayed: 19}, kinds)
		for i, wait := range told.waits() {
			if turn := i + 1; turn > 6 { // those that came before robots.txt are told in any order
				assert.Equal(t, time.Duration(5+9*turn)*time.Second, wait.Round(time.Second))
			}
		}
	})
}

// A dry run changes nothing for a Transport that shares its Cache, and learns nothing from answers.
func TestDryRunTeachesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(429, "Retry-After", "100"))
		polites := conduct.NewTransport(t, web)
		polites.Cache = new(polite.Cache)
		dry := conduct.NewTransport(t, web)
		dry.Cache = polites.Cache
		var told reports
		dry.Policy.ReportOnly = told.add
		start := time.Now()
		for _, url := range []string{"http://example.com/busy", "http://example.com/1"} {
			_, err := conduct.Get(&http.Client{Transport: dry}, url)
			assert.NoError(t, err)
		}
		assert.Equal(t, []time.Duration{100 * time.Second}, told.waits())
		_, err := conduct.Get(&http.Client{Transport: polites}, "http://example.com/2")
		assert.NoError(t, err)
		assert.Less(t, time.Since(start), time.Second)
	})
}

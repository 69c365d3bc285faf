package wire

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// Requests that cannot be sent again wait with their connections for the end of a break. A second break,
// which begins during the trial after the first, lets one of them go first, too. Its answer counts, although it connected before.
func TestSecondBreakDuringATrial(t *testing.T) {
	for _, mode := range long.Last(modes...) {
		for _, answers := range []time.Duration{500 * time.Millisecond, 3 * time.Second, 50 * time.Second} {
			t.Run(fmt.Sprintf("%s, a trial of %v", mode.name, answers), func(t *testing.T) {
				onWireIn(t, mode.Backoff, nil, func(w *wire) {
					w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "10")))
					w.web.Page("example.com", "/later", origintest.Delay(11*time.Second+answers/2, origintest.Status(429, "Retry-After", "30")))
					for i := range 6 {
						w.web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(answers, origintest.Text("ok")))
					}
					began := time.Now()
					w.get("/later")
					w.get("/busy")
					w.dials(conduct.Always(3 * time.Second))
					for i := range 6 {
						sender{wire: w, method: "POST"}.call(fmt.Sprint("/", i))
					}
					w.wait(time.Hour)
					var at []time.Duration
					for _, page := range w.web.Log().Pages()[2:] {
						at = append(at, page.Time.Sub(began))
					}
					assert.Len(t, at, 6)
					assert.Equal(t, 11*time.Second, at[0], "after the first break")
					again := slices.IndexFunc(at, func(d time.Duration) bool { return d >= 41*time.Second+answers/2 })
					assert.GreaterOrEqual(t, at[again+1]-at[again], answers, "after the second: %v", at)
					assert.LessOrEqual(t, at[5]-at[again], 2*answers, "its good answer lets two go: %v", at)
				})
			})
		}
	}
}

package conduct_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/long"
	"github.com/stretchr/testify/assert"
)

// A site that was silent for two minutes, or answered 503, is as quick as before within the length
// of the outage.
func TestMannersASiteIsQuickAgainAfterAnOutage(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for name, down := range map[string]judgedReply{
		"silent": {takes: time.Hour},
		"503":    {takes: 500 * time.Millisecond, status: http.StatusServiceUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			site := func(now time.Duration, _ string) judgedReply {
				if now >= downFrom && now < downTo {
					return down
				}
				return judgedReply{takes: 500 * time.Millisecond}
			}
			impatient := func(base http.RoundTripper) http.RoundTripper {
				base.(*http.Transport).ResponseHeaderTimeout = 5 * time.Second
				return base
			}
			saw := judgedCrawl{site: site, base: impatient, workers: 16, long: downTo + 3*time.Minute}.run(t)
			for i := range 3 {
				from := downTo + time.Duration(i)*time.Minute
				t.Logf("minute %d after it: %d requests of 1,920", i+1, saw.between(from, from+time.Minute))
			}
			if name == "silent" {
				assert.Greater(t, saw.between(downTo, downTo+time.Minute), 600, "it is asked again within half of the silence")
			}
			assert.Greater(t, saw.between(downTo+2*time.Minute, downTo+3*time.Minute), 1900)
		})
	}
}

package limit

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// judgedClock is a time of day in seconds. It is called inside the bubble.
func judgedClock(left time.Duration) string {
	return strconv.FormatInt(time.Now().Add(left+time.Second-1).Unix(), 10)
}

// judgedPause returns how long after the end of an answer the next request arrives.
func judgedPause(t *testing.T, off bool, status int, header ...string) (pause time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		for i := 0; i+1 < len(header); i += 2 {
			if header[i+1] == "github" {
				header[i+1] = judgedClock(30 * time.Second)
			}
		}
		web.Page("example.com", "/first", origintest.Status(status, header...))
		tr := conduct.NewTransport(t, web)
		tr.Pace.Backoff.Off = off
		conduct.Know(t, tr, "example.com")
		require.NoError(t, conduct.Read(t.Context(), conduct.Client(tr), "http://example.com/first"))
		answered := time.Now()
		require.NoError(t, conduct.Read(t.Context(), conduct.Client(tr), "http://example.com/next"))
		pause = web.Log().Pages()[1].Time.Sub(answered)
		tr.CloseIdleConnections()
	})
	return pause
}

// What a quota asks for: at zero a break until it is new, below half of it a gap. With Backoff.Off a Retry-After
// counts, and a quota does not.
func TestMannersWhatAQuotaAsksFor(t *testing.T) {
	for _, tt := range []struct {
		name        string
		status      int
		header      []string
		least, most time.Duration
		off         bool
	}{
		{"nothing", 200, nil, 0, 0, false},
		{"used up", 200, []string{"RateLimit", `"default";r=0;t=30`}, 30 * time.Second, 40 * time.Second, false},
		{"below half", 200, []string{"RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=10;t=50`}, 4 * time.Second, 6 * time.Second, false},
		{"above half", 200, []string{"RateLimit-Policy", `"default";q=100;w=60`, "RateLimit", `"default";r=60;t=50`}, 0, 0, false},
		{"one of two is used up", 200, []string{"RateLimit", `"day";r=1000;t=3000, "minute";r=0;t=30`}, 30 * time.Second, 40 * time.Second, false},
		{"seconds", 200, []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "30"}, 30 * time.Second, 40 * time.Second, false},
		{"time of day", 200, []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "github"}, 29 * time.Second, 40 * time.Second, false},
		{"GitLab", 200, []string{"RateLimit-Limit", "60", "RateLimit-Remaining", "0", "RateLimit-Reset", "github"}, 29 * time.Second, 40 * time.Second, false},
		{"403 with Retry-After", 403, []string{"Retry-After", "30"}, 30 * time.Second, 40 * time.Second, false},
		{"403 without", 403, nil, 0, 0, false},
		{"403 of GitHub", 403, []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "github"}, 29 * time.Second, 40 * time.Second, false},
		{"429 with Retry-After", 429, []string{"Retry-After", "30"}, 30 * time.Second, 40 * time.Second, false},
		{"429 with Retry-After, off", 429, []string{"Retry-After", "30"}, 30 * time.Second, 30 * time.Second, true},
		{"429 of a quota that is used up, off", 429, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "30"}, 0, 0, true},
		{"used up, off", 200, []string{"X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "30"}, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			pause := judgedPause(t, tt.off, tt.status, tt.header...)
			assert.GreaterOrEqual(t, pause, tt.least)
			assert.LessOrEqual(t, pause, tt.most)
		})
	}
}

// Whatever a page that was answered says of a quota, it stops its site for an hour at most, and
// what makes no sense stops nothing.
func TestMannersQuotasThatAreHostile(t *testing.T) {
	values := []string{
		"0", "-1", "-9223372036854775808", "9223372036854775807", "18446744073709551616", "1e309", "1e9", "NaN", "Inf", "-Inf", "+5", " 5", "0x10",
		"", ",", ";", "=", "\"", `"default";r=0;t=999999999999999`, `"default";r=-1;t=-1`, `"default";r=0`, `"default";t=5`, `"a";r=0;t=1e3`, `r=0;t=1`, "٣",
		"Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 02 Jan 2006", "4102444800", "-4102444800",
	}
	fields := [][]string{
		{"RateLimit"}, {"RateLimit", "RateLimit-Policy"}, {"X-RateLimit-Remaining", "X-RateLimit-Reset"}, {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"},
		{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}, {"X-RateLimit-Reset"}, {"Retry-After"},
	}
	for _, of := range fields {
		for _, value := range values {
			var header []string
			for _, field := range of {
				header = append(header, field, value)
			}
			pause := judgedPause(t, false, http.StatusOK, header...)
			assert.LessOrEqual(t, pause, 66*time.Minute, "%q", header)
			header = append(header, "X-RateLimit-Remaining", "0")
			assert.LessOrEqual(t, judgedPause(t, false, http.StatusOK, header...), 66*time.Minute, "%q", header)
		}
	}
	for _, value := range []string{"-1", "NaN", "Inf", "", "soon", "1e309", "18446744073709551616 years"} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			pause := judgedPause(t, false, status, "Retry-After", value)
			assert.GreaterOrEqual(t, pause, time.Second, "%q", value)
			assert.LessOrEqual(t, pause, 5*time.Second, "%q", value)
		}
	}
	for _, value := range []string{"9223372036854775807", "99999999999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable, http.StatusForbidden} {
			assert.LessOrEqual(t, judgedPause(t, false, status, "Retry-After", value), 27*time.Hour, "%q", value)
		}
	}
}

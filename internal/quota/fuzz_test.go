package quota_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/internal/status"
	"github.com/stretchr/testify/require"
)

// Whatever an answer says:
//
//   - what it asks for is within the bounds, and says why;
//   - one more quota never makes it ask for less;
//   - without a Date, a later time never makes a break longer.
func FuzzRead(f *testing.F) {
	for _, seed := range [][5]string{
		{`"a";r=1;t=30, "b";r=0;t=5`, `"a";q=100;w=60, "b";q=5;qu="content-bytes"`, "9", "5", "soon"},
		{"limit=100, remaining=40, reset=80", "100;w=60", "10, 10;w=1", "1, 0", "1800000060"},
		{`"a";r=0;t=5;pk=:YQ==:`, `"a";q=9;pk=:Yg==:`, "5000", "0", "1800000060500"},
		{"", "", "60", "59", "Fri, 15 Jan 2027 08:01:00 GMT"},
		{"default;r=999999999999999;t=1", "default;q=999999999999999", "1e9", "-1", "2027-01-15T08:01:00Z"},
	} {
		f.Add(uint8(0), seed[0], seed[1], seed[2], seed[3], seed[4], "120", "", "")
		f.Add(uint8(1), seed[0], seed[1], seed[2], seed[3], seed[4], "soon", siteDate[len("Date: "):], "7")
		f.Add(uint8(2), seed[0], seed[1], seed[2], seed[3], seed[4], "Fri, 15 Jan 2027 08:01:00 GMT", "", "0")
	}
	f.Fuzz(func(t *testing.T, code uint8, listed, policy, limit, remaining, reset, retryAfter, date, age string) {
		status := []int{200, 403, 429, 503, 404, 500}[code%6]
		fields := http.Header{}
		for _, field := range [][2]string{
			{"Ratelimit", listed}, {"Ratelimit-Policy", policy}, {"X-Ratelimit-Limit", limit}, {"X-Ratelimit-Remaining", remaining}, {"X-Ratelimit-Reset", reset},
			{"X-Rate-Limit-Remaining", limit}, {"X-Rate-Limit-Reset", retryAfter}, {"Retry-After", retryAfter}, {"Date", date}, {"Age", age},
		} {
			if field[1] != "" {
				fields[field[0]] = strings.Split(field[1], "\n")
			}
		}
		ask := quota.Read(status, fields, now)
		requireBounded(t, status, ask)

		if date == "" {
			later := quota.Read(status, fields, now.Add(time.Second))
			require.LessOrEqual(t, later.Break, ask.Break)
		}
		if ask.Why == "Retry-After" {
			return
		}
		fields["Ratelimit-Remaining"], fields["Ratelimit-Reset"] = []string{"0"}, []string{reset}
		more := quota.Read(status, fields, now)
		requireBounded(t, status, more)
		require.GreaterOrEqual(t, more.Break, ask.Break)
		require.GreaterOrEqual(t, more.Gap, ask.Gap)
	})
}

func requireBounded(t *testing.T, code int, ask quota.Ask) {
	t.Helper()
	most := quota.LongestBreak
	if status.Of(code).Refuses {
		most = quota.MaxRetryAfter
	}
	require.True(t, 0 <= ask.Break && ask.Break <= most, ask.Break)
	require.True(t, 0 <= ask.Gap && ask.Gap <= quota.LongestGap, ask.Gap)
	require.True(t, 0 <= ask.Left && ask.Left <= quota.LongestBreak, ask.Left)
	require.Equal(t, ask.Gap > 0, ask.Left > 0, "a gap ends")
	require.Equal(t, ask.Gap > 0 || ask.Break > 0, ask.Why != "", "an Ask says why")
	require.LessOrEqual(t, ask.Gap, max(ask.Left, 1))
}

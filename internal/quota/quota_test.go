package quota_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/quota"
	"github.com/stretchr/testify/assert"
)

// now is by the clock here, and site by that of a site. It is 1,800,000,000 there.
var (
	now  = time.Date(2027, 1, 15, 9, 0, 0, 0, time.UTC)
	site = time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC)
)

const siteDate = "Date: Fri, 15 Jan 2027 08:00:00 GMT"

// header makes a header of lines.
func header(lines ...string) http.Header {
	h := make(http.Header)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ":")
		h.Add(name, strings.TrimSpace(value))
	}
	return h
}

// brk and gap are what a field asks for.
func brk(wait time.Duration, why string) quota.Ask { return quota.Ask{Break: wait, Why: why} }

func gap(wait, left time.Duration, why string) quota.Ask {
	return quota.Ask{Gap: wait, Left: left, Why: why}
}

var nothing quota.Ask

type row struct {
	name  string
	lines []string
	want  quota.Ask
}

func lines(l ...string) []string { return l }

func check(t *testing.T, status int, rows []row) {
	t.Helper()
	for _, row := range rows {
		assert.Equal(t, row.want, quota.Read(status, header(row.lines...), now), row.name)
	}
}

func TestRateLimit(t *testing.T) {
	const f = "RateLimit"
	check(t, 200, []row{
		{"above half", lines(`RateLimit: "default";r=51;t=30`, `RateLimit-Policy: "default";q=100;w=60`), nothing},
		{"half", lines(`RateLimit: "default";r=50;t=30`, `RateLimit-Policy: "default";q=100;w=60`), nothing},
		{"below half", lines(`RateLimit: "default";r=49;t=49`, `RateLimit-Policy: "default";q=100;w=60`), gap(time.Second, 49*time.Second, f)},
		{"rounded up", lines(`RateLimit: "default";r=3;t=10`, `RateLimit-Policy: "default";q=100`), gap(3333333334, 10*time.Second, f)},
		{"nothing remains", lines(`RateLimit: "default";r=0;t=50`), brk(50*time.Second, f)},
		{"without policy, many", lines(`RateLimit: "default";r=10;t=100`), nothing},
		{"without policy, few", lines(`RateLimit: "default";r=9;t=90`), gap(10*time.Second, 90*time.Second, f)},
		{"policy of another", lines(`RateLimit: "a";r=10;t=100`, `RateLimit-Policy: "b";q=100;w=60`), nothing},
		{"without time, nothing remains", lines(`RateLimit: "default";r=0`), nothing},
		{"the window in place of the time", lines(`RateLimit: "default";r=0`, `RateLimit-Policy: "default";q=9;w=60`), brk(time.Minute, f)},
		{"no time left", lines(`RateLimit: "default";r=0;t=0`, `RateLimit-Policy: "default";q=9;w=60`), nothing},
		{"token for a name", lines(`RateLimit: default;r=1;t=30`, `RateLimit-Policy: default;q=100`), gap(30*time.Second, 30*time.Second, f)},
		{"express, version 08", lines(`RateLimit: "100-in-15min"; r=20; t=600`, `RateLimit-Policy: "100-in-15min"; q=100; w=900; pk=:MTIz:`), gap(30*time.Second, 10*time.Minute, f)},

		{"the longest gap of two", lines(`RateLimit: "minute";r=10;t=20, "day";r=100;t=3000`, `RateLimit-Policy: "minute";q=50;w=60, "day";q=1000;w=86400`), gap(30*time.Second, 50*time.Minute, f)},
		{"equal gaps", lines(`RateLimit: "a";r=1;t=120, "b";r=1;t=600, "c";r=1;t=300`), gap(time.Minute, 10*time.Minute, f)},
		{"a break and a gap", lines(`RateLimit: "minute";r=0;t=20, "day";r=100;t=3000`, `RateLimit-Policy: "day";q=1000`), quota.Ask{Break: 20 * time.Second, Gap: 30 * time.Second, Left: 50 * time.Minute, Why: f}},
		{"two lines", lines(`RateLimit: "a";r=90;t=20`, `RateLimit: "b";r=0;t=9`), brk(9*time.Second, f)},
		{"partitions", lines(`RateLimit: "a";r=40;t=40;pk=:Yg==:`, `RateLimit-Policy: "a";q=1000;pk=:YQ==:, "a";q=50;pk=:Yg==:`), nothing},
		{"its own partition", lines(`RateLimit: "a";r=40;t=40;pk=:YQ==:`, `RateLimit-Policy: "a";q=1000;pk=:YQ==:, "a";q=50;pk=:Yg==:`), gap(time.Second, 40*time.Second, f)},
		{"octets", lines(`RateLimit: "a";r=9;t=60`, `RateLimit-Policy: "a";q=65535;qu="content-bytes"`), nothing},
		{"no octets", lines(`RateLimit: "a";r=0;t=60`, `RateLimit-Policy: "a";q=65535;qu="content-bytes"`), brk(time.Minute, f)},
		{"requests", lines(`RateLimit: "a";r=9;t=90`, `RateLimit-Policy: "a";q=100;qu="requests"`), gap(10*time.Second, 90*time.Second, f)},

		{"a request", lines(`RateLimit: "a";r=9;t=90`, `RateLimit-Policy: "a";q=100;qu="request"`), gap(10*time.Second, 90*time.Second, f)},

		{"version 07", lines(`RateLimit: limit=100, remaining=40, reset=80`), gap(2*time.Second, 80*time.Second, f)},
		{"version 07, nothing remains", lines(`RateLimit: limit=100, remaining=0, reset=80`, `RateLimit-Policy: 100;w=60`), brk(80*time.Second, f)},
		{"version 07, lists", lines(`RateLimit: limit=(1 2), remaining=(0), reset=80`), nothing},

		{"from a cache", lines(`RateLimit: "default";r=0;t=50`, "Age: 1"), nothing},
		{"through a cache", lines(`RateLimit: "default";r=0;t=50`, "Age: 0"), brk(50*time.Second, f)},
	})
}

// What is malformed does not count, and takes nothing else with it but its own field.
func TestMalformedRateLimit(t *testing.T) {
	for _, value := range []string{
		"", ",", `"a"`, `"a";r`, `"a";r=-1;t=5`, `"a";r=0;t=-5`, `"a";r="0";t=5`, `"a";r=0.0;t=5`, `"a";r=0;t=5,`, `"a";r=0;t=5 x`, `"a;r=0;t=5`,
		`"a";r=0;t=9999999999999999`, `("a");r=0;t=5`, `:YQ==:;r=0;t=5`, `5;r=0;t=5`, `?1;r=0;t=5`, `"";r=0;t=5`, "remaining=0", "remaining=0, reset=-5", "limit=x, remaining=0, reset=?1",
		"\x00", "é", "NaN", "Inf", `"a";r=NaN;t=5`,
	} {
		assert.Zero(t, quota.Read(429, header("RateLimit: "+value, `RateLimit-Policy: "a";q=5;w=5x`), now), "%q", value)
		other := quota.Read(200, header("RateLimit: "+value, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 5"), now)
		assert.Equal(t, brk(5*time.Second, "X-RateLimit-Remaining"), other, "%q", value)
	}
	check(t, 200, []row{
		{"one of two", lines(`RateLimit: "a";r=x;t=9, "b";r=0;t=5`), brk(5*time.Second, "RateLimit")},
		{"the policy", lines(`RateLimit: "a";r=9;t=9`, `RateLimit-Policy: :;q`), gap(time.Second, 9*time.Second, "RateLimit")},
		{"parameters of others", lines(`RateLimit: "a";r=0;t=5;u=?0;v=1.5;w=x;x=@1;y=%"f%c3%bc";z=:YQ==:;r`), nothing},
		{"comments", lines(`RateLimit: "a";u=?0;v=1.5;w=x;x=@1;y=%"f%c3%bc";z=:YQ==:;r=0;t=5`, `RateLimit-Policy: 5, @1, %"a", ?1, (a b), :YQ==:;q=5`), brk(5*time.Second, "RateLimit")},
		{"a negative quota", lines(`RateLimit: "a";r=9;t=9`, `RateLimit-Policy: "a";q=-5`), gap(time.Second, 9*time.Second, "RateLimit")},
		{"octets as a policy", lines(`RateLimit: "a";r=9;t=9`, `RateLimit-Policy: :YQ==:;q=5`), gap(time.Second, 9*time.Second, "RateLimit")},
		{"octets as a unit", lines(`RateLimit: "a";r=9;t=9`, `RateLimit-Policy: "a";q=50;qu=:YQ==:`), nothing},
	})
}

func TestNamedFields(t *testing.T) {
	const github, gitlab, x = "X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"
	check(t, 200, []row{
		{"GitHub, above half", lines("X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 59", "X-RateLimit-Reset: 1800003600", "X-RateLimit-Used: 1", siteDate), nothing},
		{"GitHub, below half", lines("X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 100", "X-RateLimit-Reset: 1800001000", siteDate), gap(10*time.Second, 1000*time.Second, github)},
		{"GitHub, nothing remains", lines("X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1800001000", siteDate), brk(1000*time.Second, github)},
		{"GitLab", lines("RateLimit-Limit: 60", "RateLimit-Observed: 60", "RateLimit-Remaining: 0", "RateLimit-Reset: 1800000030", siteDate), brk(30*time.Second, gitlab)},
		{"version 06", lines("RateLimit-Limit: 10, 10;w=1, 1000;w=3600", "RateLimit-Remaining: 4", "RateLimit-Reset: 8"), gap(2*time.Second, 8*time.Second, gitlab)},
		{"version 06, with its window", lines("RateLimit-Limit: 100;w=60", "RateLimit-Remaining: 40", "RateLimit-Reset: 40"), gap(time.Second, 40*time.Second, gitlab)},
		{"X", lines("x-rate-limit-limit: 15", "x-rate-limit-remaining: 0", "x-rate-limit-reset: 1800000900", siteDate), brk(15*time.Minute, x)},
		{"seconds", lines("X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 6", "X-RateLimit-Reset: 30"), gap(5*time.Second, 30*time.Second, github)},
		{"parts of a second", lines("X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0.5"), brk(time.Second, github)},
		{"milliseconds of the day", lines("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1800000030500", siteDate), brk(30500*time.Millisecond, github)},
		{"a date", lines("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: Fri, 15 Jan 2027 08:01:00 GMT", siteDate), brk(time.Minute, github)},
		{"a date of RFC 3339", lines("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2027-01-15T08:01:00Z", siteDate), brk(time.Minute, github)},
		{"several quotas", lines("X-RateLimit-Limit: 10, 15000", "X-RateLimit-Policy: 10;w=1, 15000;w=2592000", "X-RateLimit-Remaining: 9, 0", "X-RateLimit-Reset: 1, 600"), brk(10*time.Minute, github)},
		{"several lines", lines("X-RateLimit-Remaining: 1", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1", "X-RateLimit-Reset: 20"), quota.Ask{Break: 20 * time.Second, Gap: time.Second, Left: time.Second, Why: github}},
		{"several families", lines("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 2", "X-RateLimit-Reset: 20", "RateLimit-Limit: 100", "RateLimit-Remaining: 2", "RateLimit-Reset: 40"), gap(20*time.Second, 40*time.Second, gitlab)},
		{"limit unknown, few", lines("X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 9"), gap(time.Second, 9*time.Second, github)},
		{"limit unknown, many", lines("X-RateLimit-Remaining: 10", "X-RateLimit-Reset: 9"), nothing},
		{"no reset", lines("X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 0"), nothing},
		{"only a limit", lines("X-RateLimit-Limit: 60", "X-RateLimit-Reset: 30"), nothing},
		{"limit below what remains", lines("X-RateLimit-Limit: 1", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 9"), nothing},
		{"from a cache", lines("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 9", "Age: 60"), nothing},
	})
}

func TestHostileNumbers(t *testing.T) {
	for _, value := range []string{"", "-1", "-0", "+0", "NaN", "nan", "Inf", "1e9", "0x0", "0.0.0", ".", "none", "0 0", "٠", "\x00", strings.Repeat("0", 100), strings.Repeat("0", 1<<20)} {
		assert.Zero(t, quota.Read(429, header("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: "+value, "X-RateLimit-Reset: 9"), now), "%.20q remain", value)
		assert.Zero(t, quota.Read(429, header("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: "+value), now), "%.20q until the reset", value)
	}
	for _, reset := range []string{"0", "1799999999", "1800000000", "300000000", "300000000000", "1799999999000", "300000000000000", "999999999999999999999999", "Fri, 15 Jan 2027 07:59:59 GMT", "2027-01-15T08:00:00Z", "0001-01-01T00:00:00Z"} {
		assert.Zero(t, quota.Read(429, header("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: "+reset, siteDate), now), "%q is over, or makes no sense", reset)
	}
	const f = "X-RateLimit-Remaining"
	for _, reset := range []string{"86401", "299999999", "1900000000", "299999999999", "1900000000000", "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"} {
		fields := header("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: "+reset, siteDate)
		assert.Equal(t, brk(quota.LongestBreak, f), quota.Read(200, fields, now), reset)
		for _, status := range []int{403, 429, 503} {
			assert.Equal(t, brk(quota.MaxRetryAfter, f), quota.Read(status, fields, now), reset)
		}
	}
	check(t, 429, []row{
		{"longest gap", lines("X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 86400"), gap(quota.LongestGap, quota.LongestBreak, f)},
		{"huge limit", lines("X-RateLimit-Limit: 99999999999999999999", "X-RateLimit-Remaining: 2", "X-RateLimit-Reset: 2"), gap(time.Second, 2*time.Second, f)},
		{"huge both", lines("X-RateLimit-Limit: 99999999999999999999", "X-RateLimit-Remaining: 99999999999999999999", "X-RateLimit-Reset: 2"), nothing},
		{"shortest gap", lines(`RateLimit: "a";r=499999999999998;t=1`, `RateLimit-Policy: "a";q=999999999999999`), gap(1, time.Second, "RateLimit")},
		{"beyond a Duration", lines(`RateLimit: "a";r=0;t=9223372037`), brk(quota.MaxRetryAfter, "RateLimit")},
		{"longest time", lines(`RateLimit: "a";r=0;t=999999999999999`), brk(quota.MaxRetryAfter, "RateLimit")},
	})
}

// Only the first quotas of a field count, and too long a field does not.
func TestManyQuotas(t *testing.T) {
	many := func(n int, value string) string { return strings.Repeat(value+",", n) }
	const zero = `"z";r=0;t=5`
	check(t, 200, []row{
		{"the last that counts", lines("RateLimit: " + many(15, `"a";r=99;t=5`) + zero), brk(5*time.Second, "RateLimit")},
		{"one too many", lines("RateLimit: " + many(16, `"a";r=99;t=5`) + zero), nothing},
		{"too long", lines("RateLimit: " + many(200, zero) + zero), nothing},
		{"1 MB", lines("RateLimit: "+many(100_000, zero)+zero, "RateLimit-Policy: "+many(100_000, `"z";q=1`), "X-RateLimit-Remaining: "+many(500_000, "0"), "X-RateLimit-Reset: "+many(500_000, "9")), nothing},
		{"a policy too long", lines("RateLimit: "+zero, "RateLimit-Policy: "+many(1000, `"z";q=1`)), brk(5*time.Second, "RateLimit")},
		{"named, the last that counts", lines("X-RateLimit-Remaining: "+many(15, "99")+"0", "X-RateLimit-Reset: "+many(15, "5")+"5"), brk(5*time.Second, "X-RateLimit-Remaining")},
		{"named, one too many", lines("X-RateLimit-Remaining: "+many(16, "99")+"0", "X-RateLimit-Reset: "+many(16, "5")+"5"), nothing},
	})
}

// An answer may ask for something if it is a refusal, or tells of a quota.
func TestAsks(t *testing.T) {
	for _, field := range []string{"RateLimit", "X-RateLimit-Remaining", "RateLimit-Remaining", "X-Rate-Limit-Remaining"} {
		assert.True(t, quota.Asks(200, header(field+": 1")), field)
	}
	usual := header(siteDate, "Retry-After: 5", "X-RateLimit-Limit: 60", "RateLimit-Policy: x")
	for code, asks := range map[int]bool{200: false, 301: false, 404: false, 500: false, 403: true, 429: true, 503: true} {
		assert.Equal(t, asks, quota.Asks(code, usual), code)
	}
}

// An answer without these fields costs a few look-ups.
func TestReadDoesNotAllocate(t *testing.T) {
	usual := header(siteDate, "Content-Type: text/html", "Age: 5", "ETag: x", "RateLimit-Policy: x", "X-RateLimit-Limit: 60")
	for _, status := range []int{200, 403, 404, 429, 503} {
		assert.Zero(t, testing.AllocsPerRun(100, func() { quota.Read(status, usual, now) }), status)
		assert.Zero(t, testing.AllocsPerRun(100, func() { quota.Read(status, nil, now) }), status)
	}
	empty := http.Header{"Ratelimit": make([]string, 1<<20), "X-Ratelimit-Remaining": make([]string, 1<<20), "X-Ratelimit-Reset": {"9"}}
	assert.LessOrEqual(t, testing.AllocsPerRun(1, func() { quota.Read(200, empty, now) }), 1.0, "many empty lines are not put together")
}

func BenchmarkRead(b *testing.B) {
	for _, row := range []row{
		{"none", lines(siteDate, "Content-Type: text/html"), nothing},
		{"GitHub", lines("X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 59", "X-RateLimit-Reset: 1800003600", siteDate), nothing},
		{"listed", lines(`RateLimit: "default";r=51;t=30`, `RateLimit-Policy: "default";q=100;w=60`), nothing},
		{"hostile", lines("RateLimit: "+strings.Repeat("a;r,", 510)+"a", "RateLimit-Policy: "+strings.Repeat("a;q,", 510)+"a"), nothing},
	} {
		b.Run(row.name, func(b *testing.B) {
			fields := header(row.lines...)
			for b.Loop() {
				quota.Read(200, fields, now)
			}
			b.ReportAllocs()
		})
	}
}

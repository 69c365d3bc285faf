package quota_test

import (
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/quota"
	"github.com/stretchr/testify/assert"
)

func TestRetryAfter(t *testing.T) {
	rows := []row{
		{"seconds", lines("Retry-After: 120"), brk(2*time.Minute, "Retry-After")},
		{"seconds, by any clock", lines("Retry-After: 120", siteDate), brk(2*time.Minute, "Retry-After")},
		{"a date by this clock", lines("Retry-After: Fri, 15 Jan 2027 09:01:00 GMT"), brk(time.Minute, "Retry-After")},
		{"a date by the clock of the site", lines("Retry-After: Fri, 15 Jan 2027 08:01:00 GMT", siteDate), brk(time.Minute, "Retry-After")},
		{"a date that a cache has kept", lines("Retry-After: Fri, 15 Jan 2027 08:01:00 GMT", siteDate, "Age: 20"), brk(40*time.Second, "Retry-After")},
		{"a date of RFC 850", lines("Retry-After: Friday, 15-Jan-27 09:01:00 GMT"), brk(time.Minute, "Retry-After")},
		{"a date, and a Date that is none", lines("Retry-After: Fri, 15 Jan 2027 09:01:00 GMT", "Date: today"), brk(time.Minute, "Retry-After")},
		{"the longest", lines("Retry-After: 99999999999999999999999999"), brk(quota.MaxRetryAfter, "Retry-After")},
		{"the latest", lines("Retry-After: Fri, 31 Dec 9999 23:59:59 GMT"), brk(quota.MaxRetryAfter, "Retry-After")},
		{"rather than a quota", lines("Retry-After: 5", `RateLimit: "a";r=0;t=60`, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 60"), brk(5*time.Second, "Retry-After")},
		{"0, and a quota", lines("Retry-After: 0", `RateLimit: "a";r=0;t=60`), brk(time.Minute, "RateLimit")},
		{"0", lines("Retry-After: 0"), nothing},
		{"negative", lines("Retry-After: -5"), nothing},
		{"over", lines("Retry-After: Fri, 15 Jan 2027 07:59:59 GMT", siteDate), nothing},
		{"unreadable", lines("Retry-After: soon"), nothing},
		{"part of a second is rounded up", lines("Retry-After: 89.5"), brk(90*time.Second, "Retry-After")},
		{"two fields", lines("Retry-After: 5", "Retry-After: 90"), brk(90*time.Second, "Retry-After")},
		{"two in one field", lines("Retry-After: 90, 5"), brk(90*time.Second, "Retry-After")},
		{"the time of day in seconds", lines("Retry-After: 1800000090", siteDate), brk(90*time.Second, "Retry-After")},
		{"the time of day in milliseconds", lines("Retry-After: 1800000090000", siteDate), brk(90*time.Second, "Retry-After")},
		{"UTC", lines("Retry-After: Fri, 15 Jan 2027 08:01:30 UTC", siteDate), brk(90*time.Second, "Retry-After")},
		{"an offset", lines("Retry-After: Fri, 15 Jan 2027 10:01:30 +0200", siteDate), brk(90*time.Second, "Retry-After")},
		{"a day of one digit", lines("Retry-After: Mon, 1 Feb 2027 08:01:30 GMT", siteDate), brk(quota.MaxRetryAfter, "Retry-After")},
		{"a wrong day of the week", lines("Retry-After: Xyz, 15 Jan 2027 08:01:30 GMT", siteDate), brk(90*time.Second, "Retry-After")},
		{"ISO 8601", lines("Retry-After: 2027-01-15T08:01:30Z", siteDate), brk(90*time.Second, "Retry-After")},
		{"another zone by its name", lines("Retry-After: Fri, 15 Jan 2027 08:01:30 PST", siteDate), nothing},
		{"signed", lines("Retry-After: +90"), nothing},
		{"hexadecimal", lines("Retry-After: 0x5A"), nothing},
		{"with a unit", lines("Retry-After: 90s"), nothing},
		{"empty", lines("Retry-After: "), nothing},
		{"1 MB", lines("Retry-After: "+strings.Repeat("x", 1<<20), "Date: "+strings.Repeat("x", 1<<20)), nothing},
	}
	for _, status := range []int{403, 429, 503} {
		check(t, status, rows)
	}
	for _, status := range []int{0, 200, 301, 404, 413, 500} {
		assert.Zero(t, quota.Read(status, header("Retry-After: 120"), now), "%d refuses nothing for a while", status)
	}
}

// A clock here that is wrong does not matter if the site tells its time.
func TestWrongClock(t *testing.T) {
	fields := header("X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1800000060")
	for _, wrong := range []time.Duration{-10 * 365 * 24 * time.Hour, -time.Hour, 0, time.Hour, 10 * 365 * 24 * time.Hour} {
		fields.Set("Date", site.Format("Mon, 02 Jan 2006 15:04:05 GMT"))
		assert.Equal(t, time.Minute, quota.Read(200, fields, site.Add(wrong)).Break, wrong)
		fields.Del("Date")
		want := min(max(time.Minute-wrong, 0), quota.LongestBreak)
		assert.Equal(t, want, quota.Read(200, fields, site.Add(wrong)).Break, "without Date, %v", wrong)
	}
}

// A number of seconds that is too large counts as 2³¹ (RFC 9111 §1.2.2).
func TestSeconds(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "5": 5 * time.Second, "2147483647": (1<<31 - 1) * time.Second, "2147483648": 1 << 31 * time.Second, "4294967296": 1 << 31 * time.Second, strings.Repeat("9", 99): 1 << 31 * time.Second,
	} {
		got, ok := quota.Seconds(text)
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "+1", "1.5", " 1", "x"} {
		got, ok := quota.Seconds(text)
		assert.False(t, ok, text)
		assert.Zero(t, got, text)
	}
}

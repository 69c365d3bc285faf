package known_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/known"
	"github.com/stretchr/testify/assert"
)

const (
	minute = int64(time.Minute)
	hour   = int64(time.Hour)
	day    = 24 * hour
)

// Each row is a life: what came of asking, and what is known a while after.
func TestState(t *testing.T) {
	rules := func(age time.Duration) known.Facts { return known.Answered(200, true, age, 0) }
	none := func(age time.Duration) known.Facts { return known.Answered(404, false, age, 0) }
	failed := func(r known.Facts, at int64) known.Facts { return r.Failed(new(known.Failure), 0, at) }
	tests := []struct {
		name  string
		known known.Facts
		after int64
		want  known.State
		due   bool
		fine  bool // it is up to date
	}{
		{"nothing", known.Facts{}, 0, known.Expired, true, false},

		{"rules", rules(24 * time.Hour), 0, known.Fresh, false, true},
		{"rules, near the end of the day", rules(24 * time.Hour), day - hour, known.Fresh, true, true},
		{"rules, after the day", rules(24 * time.Hour), day, known.Expired, true, false},
		{"none, near the end of the day", none(24 * time.Hour), day - hour, known.Fresh, true, true},
		{"none, after the day", none(24 * time.Hour), day, known.Expired, true, false},
		{"rules for 5 minutes, after 6", rules(5 * time.Minute), 6 * minute, known.Stale, true, false},
		{"rules for 5 minutes, after a day", rules(5 * time.Minute), day, known.Expired, true, false},
		{"rules for 30 days, after 29", rules(30 * 24 * time.Hour), 29 * day, known.Fresh, true, true},
		{"rules for 30 days, after 30", rules(30 * 24 * time.Hour), 30 * day, known.Expired, true, false},

		{"nothing, failed", failed(known.Facts{}, 0), 40 * int64(time.Second), known.Failing, false, true},
		{"nothing, failed a minute ago", failed(known.Facts{}, 0), minute, known.Expired, true, false},
		{"rules, failed", failed(rules(24*time.Hour), hour), hour, known.Fresh, false, true},
		{"rules, failed, time to try again", failed(rules(24*time.Hour), hour), hour + minute, known.Fresh, true, true},
		{"a copy", failed(rules(24*time.Hour), day), day, known.Stale, false, true},
		{"a copy, time to try again", failed(rules(24*time.Hour), day), day + minute, known.Stale, true, false},
		{"a copy, of which nobody has asked for a day", failed(rules(24*time.Hour), day), 2*day + minute, known.Expired, true, false},
		{"none, failed", failed(none(24*time.Hour), hour), hour, known.Fresh, false, true},
		{"none, failed, the day is over", failed(none(24*time.Hour), day-1), day, known.Failing, false, true},
		{"none, the day was over when it failed", failed(none(24*time.Hour), day), day, known.Failing, false, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.known.State(test.after, known.LongMaxAge))
			assert.Equal(t, test.due, test.known.Due(test.after, known.LongMaxAge))
			assert.Equal(t, test.fine, test.known.UpToDate(test.after, known.LongMaxAge))
		})
	}
}

// The backoff doubles from a minute to an hour, and Retry-After makes it longer.
func TestFailed(t *testing.T) {
	var r known.Facts
	now, waits := int64(0), make(map[int64]bool)
	for _, most := range []int64{1, 2, 4, 8, 16, 32, 60, 60, 60} {
		r = r.Failed(new(known.Failure), 0, now)
		waits[r.Refresh(known.MaxAge)-now] = true
		assert.LessOrEqual(t, r.Refresh(known.MaxAge)-now, most*minute)
		assert.GreaterOrEqual(t, r.Refresh(known.MaxAge)-now, most*minute*3/4)
		assert.Zero(t, r.Failure.Since)
		now = r.Refresh(known.MaxAge)
	}
	assert.Len(t, waits, 9, "no two are alike")
	assert.Equal(t, 9, r.Failure.Tries)
	r = r.Failed(new(known.Failure), 5*time.Hour, now)
	assert.Equal(t, now+5*hour, r.Refresh(known.MaxAge))
	for range 100 {
		r = r.Failed(new(known.Failure), 0, now)
		assert.GreaterOrEqual(t, r.Refresh(known.MaxAge)-now, 45*minute, "however often it has failed")
	}
}

// It is time to ask again when 85 to 90 percent of the time are over, and not for all at once.
func TestRefresh(t *testing.T) {
	times := make(map[int64]bool)
	for range 300 {
		r := known.Answered(200, true, 24*time.Hour, 0)
		at := r.Refresh(known.MaxAge)
		times[at] = true
		assert.GreaterOrEqual(t, at, day*85/100)
		assert.LessOrEqual(t, at, day*90/100)
	}
	assert.Greater(t, len(times), 100)
}

// A record whose age nobody knows counts until a try is over, and is due at once.
func TestDoubted(t *testing.T) {
	const now = 100 * day
	old := known.Answered(200, true, 24*time.Hour, now-10*day)
	for name, r := range map[string]known.Facts{
		"rules":          known.Answered(200, true, 24*time.Hour, now-hour),
		"old rules":      old,
		"none":           known.Answered(404, false, 24*time.Hour, now-hour),
		"stale rules":    old.Failed(new(known.Failure), 0, now-hour),
		"from tomorrow":  known.Answered(200, true, 24*time.Hour, now+day),
		"from next year": known.Answered(404, false, 24*time.Hour, now+365*day),
	} {
		t.Run(name, func(t *testing.T) {
			doubted := r.Doubted(now)
			assert.Equal(t, known.Stale, doubted.State(now, known.MaxAge))
			assert.True(t, doubted.Due(now, known.MaxAge))
			assert.True(t, doubted.Pressing(now, 0, known.MaxAge))
		})
	}
	failing := known.Facts{}.Failed(new(known.Failure), 0, now)
	nothing := failing.Doubted(now)
	assert.Equal(t, known.Expired, nothing.State(now, known.MaxAge), "a failure that nobody knows the age of says nothing")
}

// What two processes know of an origin, the newer first.
func TestNewer(t *testing.T) {
	answered := func(at int64) known.Facts { return known.Answered(200, true, 24*time.Hour, at) }
	failed := func(r known.Facts, tries int, at int64) known.Facts {
		for i := range tries {
			r = r.Failed(new(known.Failure), 0, at+int64(i)*hour)
		}
		return r
	}
	tests := []struct {
		name         string
		newer, older known.Facts
	}{
		{"a later answer", answered(hour), answered(0)},
		{"a failure since", failed(answered(0), 1, hour), answered(0)},
		{"an answer after failures", answered(5 * hour), failed(answered(0), 3, hour)},
		{"more tries", failed(answered(0), 3, hour), failed(answered(int64(time.Second)), 2, hour)},
		{"more tries, and no answer", failed(known.Facts{}, 3, hour), failed(known.Facts{}, 2, hour)},
		{"tries after an answer that is known elsewhere", failed(known.Facts{}, 1, hour), answered(0)},
		{"an answer after tries that are known elsewhere", answered(2 * hour), failed(known.Facts{}, 5, hour)},
		{"more tries, and the answer counts no more", failed(known.Facts{}, 5, hour), failed(known.Answered(404, false, 24*time.Hour, 0), 3, hour)},
		{"an answer before failures that are known elsewhere", answered(hour / 2), failed(answered(0), 3, hour)},
		{"an answer", answered(hour), known.Facts{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.True(t, test.newer.Newer(&test.older))
			assert.False(t, test.older.Newer(&test.newer))
			assert.False(t, test.newer.Newer(&test.newer))
		})
	}
}

// A quarter of the time between asking again and the end is left for a failure to pass, or half of it without a copy.
func TestPressing(t *testing.T) {
	for part, r := range map[int64]known.Facts{4: known.Answered(200, true, 24*time.Hour, 0), 2: known.Answered(404, false, 24*time.Hour, 0)} {
		fresh, look := r.Fresh(known.LongMaxAge), r.Look(known.LongMaxAge)
		assert.InDelta(t, fresh-r.Refresh(known.LongMaxAge), part*(fresh-look), float64(part))
		assert.False(t, r.Pressing(look, 0, known.LongMaxAge))
		assert.True(t, r.Pressing(look+1, 0, known.LongMaxAge))
		assert.True(t, r.Pressing(look, (fresh-look)/2+1, known.LongMaxAge), "two more requests take as long")
		failed := r.Failed(new(known.Failure), 0, hour)
		assert.True(t, failed.Pressing(hour, 0, known.LongMaxAge))
	}
}

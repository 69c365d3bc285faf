package ask

import (
	"errors"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/stretchr/testify/assert"
)

const day = 24 * time.Hour

// What a fetch has brought becomes the next entry. What the last answer said stays in it, as old as it is.
func TestEntryOf(t *testing.T) {
	body, hops, broken := []byte("user-agent: *"), []string{"http://example.com/x"}, errors.New("broken")
	before := &claims.Found{At: int64(day), Entry: &entry.Entry{Answer: &entry.Answer{Since: time.Minute, Status: 203, MaxAge: time.Hour, Body: body}}}
	last := answers.Answered(nil, fetch.Answer{Status: 203, MaxAge: time.Hour, Body: body}, nil, nil, 0)
	none := &claims.Found{}
	kept := *before.Answer
	kept.Since += time.Hour
	for name, test := range map[string]struct {
		last   *answers.Known
		answer fetch.Answer
		err    error
		before *claims.Found
		want   entry.Entry
	}{
		"rules": {nil, fetch.Answer{Status: 200, MaxAge: -1, Body: body, Hops: hops}, nil, none,
			entry.Entry{Answer: &entry.Answer{Status: 200, MaxAge: -1, Body: body, Hops: hops}}},
		"unchanged": {last, fetch.Answer{Status: 304, MaxAge: -1, Unchanged: true}, nil, before,
			entry.Entry{Answer: &entry.Answer{Status: 203, MaxAge: time.Hour, Body: body}}},
		"unchanged, for another time": {last, fetch.Answer{Status: 304, MaxAge: 0, Unchanged: true}, nil, before,
			entry.Entry{Answer: &entry.Answer{Status: 203, MaxAge: 0, Body: body}}},
		"a loop": {nil, fetch.Answer{Status: 302, MaxAge: -1, Hops: hops, Beyond: hops[0]}, fetch.ErrTooManyRedirects, nil,
			entry.Entry{Answer: &entry.Answer{Status: 302, MaxAge: -1, Hops: hops, Beyond: hops[0], TooManyRedirects: true}}},
		"a failure": {nil, fetch.Answer{Status: 503, Hops: hops, RetryAfter: time.Minute}, nil, before,
			entry.Entry{Failure: &entry.Failure{Tries: 1, Status: 503, Hops: hops, RetryAfter: time.Minute}}},
		"a failure since": {last, fetch.Answer{TimedOut: time.Second}, broken, before,
			entry.Entry{Answer: &kept, Failure: &entry.Failure{Tries: 1, TimedOut: time.Second, Err: "broken"}}},
		"a failure since what is lost": {last, fetch.Answer{}, broken, none, entry.Entry{Failure: &entry.Failure{Tries: 1, Err: "broken"}}},
	} {
		now := int64(day + time.Hour)
		k := answers.Failed(test.last, test.answer, test.err, now)
		if isClear(test.answer, test.err) {
			k = answers.Answered(test.last, test.answer, test.err, nil, now)
		}
		assert.Equal(t, &test.want, entryOf(k, test.answer, test.err, test.before, now), name)
	}
}

// An entry is kept as long as it may be of use: a copy of rules, and the beginning of an outage, for 30 days.
func TestKeepFor(t *testing.T) {
	answer := func(status int, age time.Duration) *answers.Known {
		return answers.Answered(nil, fetch.Answer{Status: status, MaxAge: age}, nil, nil, 0)
	}
	for want, k := range map[time.Duration][]*answers.Known{
		31 * day: {answer(200, -1), answer(404, 40*day), answers.Failed(answer(404, -1), fetch.Answer{}, nil, 0)},
		2 * day:  {answer(404, -1), answer(404, time.Hour)},
		6 * day:  {answer(404, 5*day)},
	} {
		for _, k := range k {
			assert.Equal(t, want, keepFor(k))
		}
	}
}

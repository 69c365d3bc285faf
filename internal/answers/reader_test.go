package answers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
)

var here = origin.Origin{Host: "example.com", Port: 80}

const body = "user-agent: *\ndisallow: /private\n"

// newTestReader returns a reader of a Memory of its own, which follows so many redirects, and none to another host.
func newTestReader(redirects int) *Reader {
	r := NewReader(New(1<<20, func() int64 { return 0 }, nil))
	r.MaxAge, r.Timeout = known.MaxAge, 30*time.Second
	r.Redirects = fetch.Redirects{Max: redirects, Check: func(from, to *url.URL) error {
		if from.Host != to.Host {
			return errors.New("no")
		}
		return nil
	}}
	return r
}

// A request that has waited goes by what was known when it came, as long as this is up to date and nothing newer is
// known. When its turn has come, only what is up to date will do.
func TestCurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestReader(5)
		answer := fetch.Answer{Status: 200, MaxAge: time.Hour, Body: []byte(body)}
		keep := func() *Known {
			k := Answered(nil, answer, nil, nil, r.Now())
			r.Keep(here, k)
			return k
		}
		is := func(k *Known, current, found, come bool) {
			t.Helper()
			assert.Equal(t, current, r.Current(here, k))
			for turn, want := range map[bool]bool{false: found, true: come} {
				again, due := r.FindAgain(t.Context(), here, turn)
				assert.Equal(t, want, again != nil)
				assert.True(t, want || due)
			}
		}
		first := keep()
		is(first, true, true, true)
		look := time.Duration(first.Look(r.MaxAge))
		assert.Equal(t, look, r.Recheck(first))
		time.Sleep(look - 1)
		assert.EqualValues(t, 1, r.Recheck(first))
		time.Sleep(time.Hour)
		assert.EqualValues(t, 1, r.Recheck(first), "the time has come")
		is(first, false, true, false)
		second := keep()
		is(first, false, true, true)
		is(second, true, true, true)
		r.others = func() int64 { return 1 << 20 }
		r.Keep(origin.Origin{Host: "other.example", Port: 80}, Answered(nil, answer, nil, nil, r.Now()))
		assert.Nil(t, r.Load(here))
		is(second, true, false, false)
	})
}

// A request counts by what it finds, and a fetch by what it brings.
func TestCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTestReader(5)
		find := func(state known.State) {
			_, found, _ := r.Find(t.Context(), here)
			assert.Equal(t, state, found.State)
		}
		find(known.Expired)
		rules := Answered(nil, fetch.Answer{Status: 200, MaxAge: time.Hour, Body: []byte(body)}, nil, nil, r.Now())
		r.Keep(here, rules)
		for range 5 {
			find(known.Fresh)
		}
		time.Sleep(2 * time.Hour)
		for range 3 {
			find(known.Stale)
		}
		time.Sleep(24 * time.Hour)
		find(known.Expired)
		none, failed := Answered(nil, fetch.Answer{Status: 404}, nil, nil, 0), Failed(rules, fetch.Answer{Status: 503}, nil, 0)
		for n, fetched := range []func(){
			func() { r.Fetched(failed, false) }, func() { r.Fetched(rules, true) }, func() { r.Fetched(rules, false) },
			func() { r.Fetched(none, false) }, r.Recalled,
		} {
			for range n + 1 {
				fetched()
			}
		}
		stats := r.Stats()
		assert.Positive(t, stats.Bytes)
		stats.Bytes = 0
		assert.Equal(t, Stats{Origins: 1, Files: 1, Hits: 8, Stale: 3, Misses: 2, Unreachable: 1, Unchanged: 2, Found: 3, Unavailable: 4, Recalled: 5}, stats)
	})
}

// means says what k means, in words.
func means(k *Known) string {
	if k == nil {
		return "asks"
	}
	hops, status, err := k.Came()
	text := []string{fmt.Sprint(status)}
	if k.File != nil {
		text = append(text, "rules")
	}
	if k.TooManyRedirects() {
		text = append(text, "too many")
	}
	if at, failing := k.FailingSince(); failing {
		text = append(text, fmt.Sprintf("fails since %d", at))
	}
	if len(hops) > 0 {
		text = append(text, fmt.Sprint("hops ", len(hops)))
	}
	if err != nil {
		text = append(text, err.Error())
	}
	return strings.Join(text, ", ")
}

// What another crawler was told means to a reader what the reader itself would have been told. It means the same to
// who comes as far, and nothing to who would have come farther.
func TestRead(t *testing.T) {
	const host, other = "http://example.com/", "http://elsewhere.example/"
	two, away := []string{host + "1", host + "2"}, []string{host + "1", other}
	rules := func(hops []string) *Known {
		return Answered(nil, fetch.Answer{Status: 200, MaxAge: -1, Body: []byte(body), Hops: hops}, nil, nil, 7)
	}
	loop := func() *Known {
		return Answered(nil, fetch.Answer{Status: 302, Hops: two, Beyond: host + "3"}, fetch.ErrTooManyRedirects, nil, 7)
	}
	failed := func(last *Known, status int, hops []string, beyond string, err error) *Known {
		return Failed(last, fetch.Answer{Status: status, Hops: hops, Beyond: beyond}, err, 9)
	}
	timedOut := func(hops []string) *Known {
		return Failed(nil, fetch.Answer{TimedOut: 30 * time.Second, Hops: hops}, errors.New("late"), 9)
	}
	const same, asks, no = "same", "asks", "redirected to http://elsewhere.example/: no"
	for _, test := range []struct {
		came      *Known
		redirects int // that the reader follows, none elsewhere
		timeout   time.Duration
		own       bool // its crawler has asked
		want      string
	}{
		{rules(nil), 0, 0, false, same},
		{rules(two), 2, 0, false, same},
		{rules(two), 1, 0, false, "200, too many, hops 1, too many redirects"},
		{rules(two), 1, 0, true, same},
		{rules(away), 2, 0, false, "0, fails since 7, hops 1, " + no},
		{rules(away), 1, 0, false, "200, too many, hops 1, too many redirects"},
		{rules(away), 2, 0, true, same},

		{loop(), 2, 0, false, same},
		{loop(), 1, 0, false, "302, too many, hops 1, too many redirects"},
		{loop(), 3, 0, false, asks},
		{loop(), 3, 0, true, same},

		{failed(nil, 503, two, "", nil), 2, 0, false, same},
		{failed(nil, 503, two, "", nil), 1, 0, false, "503, too many, hops 1, too many redirects"},
		{failed(nil, 503, two, "", nil), 1, 0, true, same},
		{failed(nil, 0, two, "", errors.New("broken")), 1, 0, false, "302, too many, hops 1, too many redirects"},
		{failed(nil, 503, away, "", nil), 2, 0, false, "0, fails since 9, hops 1, " + no},
		{failed(nil, 302, two, other, errors.New("another no")), 3, 0, false, "302, fails since 9, hops 2, " + no},
		{failed(nil, 302, two, host+"3", errors.New("no")), 3, 0, false, asks},
		{failed(rules(nil), 503, away, "", nil), 2, 0, false, "0, rules, fails since 9, hops 1, " + no},
		{failed(rules(two), 503, away, "", nil), 2, 0, false, "0, rules, fails since 9, hops 1, " + no},
		{failed(rules(two), 503, nil, "", nil), 1, 0, false, "503, too many, fails since 9"},
		{failed(rules(two), 503, nil, "", nil), 1, 0, true, "503, too many, fails since 9"},
		{failed(loop(), 503, nil, "", nil), 3, 0, false, "503, fails since 9"},

		{timedOut(nil), 0, 0, false, same},
		{timedOut(nil), 0, 31 * time.Second, false, asks},
		{timedOut(nil), 0, 31 * time.Second, true, same},
		{timedOut(two), 1, 31 * time.Second, false, "302, too many, hops 1, too many redirects"},
	} {
		r := newTestReader(test.redirects)
		r.Timeout = cmp.Or(test.timeout, r.Timeout)
		read := r.Read
		if test.own {
			read = r.ReadOwn
		}
		for range 2 { // the second time, it is remembered
			k := read(t.Context(), here, test.came)
			got := means(k)
			if k == test.came {
				got = same
			}
			assert.Equal(t, test.want, got, "%s, for %d redirects, %v, own %v", means(test.came), test.redirects, test.timeout, test.own)
			read = r.Read
		}
	}

	r := newTestReader(2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	k := rules(two)
	assert.Nil(t, r.Read(ctx, here, k), "the user's function had no time")
	assert.Same(t, k, r.Read(t.Context(), here, k), "this is not remembered")
	assert.Nil(t, r.Read(t.Context(), here, nil))
}

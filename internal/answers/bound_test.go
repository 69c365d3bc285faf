package answers

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
)

// A Memory evicts origins until they, their files and what others take are within its bound. Equal files count once.
func TestBound(t *testing.T) {
	others := int64(0)
	m := New(100_000, func() int64 { return others }, nil)
	keep := func(host, body string) {
		m.Keep(origin.Origin{Host: host, Port: 80}, Answered(nil, fetch.Answer{Status: 200, Body: []byte(body)}, nil, nil, m.Now()))
	}
	large := func(name string) string {
		return "user-agent: " + name + "\n" + strings.Repeat("disallow: /some/folder\n", 500)
	}

	keep("a", large("a"))
	one := m.Stats().Bytes
	assert.Greater(t, one, int64(10_000))
	keep("a", large("b"))
	assert.Equal(t, one, m.Stats().Bytes, "an answer takes the place of the last")
	keep("b", large("b"))
	stats := m.Stats()
	assert.Equal(t, 1, stats.Files)
	assert.Less(t, stats.Bytes, one+1000, "equal files count once")

	others = 100_000 - stats.Bytes
	m.Trim()
	assert.Equal(t, 2, m.Stats().Origins, "they are within the bound")
	others++
	m.Trim()
	stats = m.Stats()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 1}, stats)
	keep("c", large("c"))
	stats = m.Stats()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 2}, stats, "an answer evicts another")
	file := m.Load(origin.Origin{Host: "c", Port: 80}).File
	file.Said(file.RulesFor(nil), "/")
	m.Recount(file)
	assert.Equal(t, others+one+int64(file.reading.Load().Size()), m.Stats().Bytes, "what is read of it counts")
	one = m.Stats().Bytes - others
	others = 1_000_000
	m.Trim()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 2}, m.Stats(), "the last that came stays")
}

// What is known of an origin counts with all texts that it has, also those that only one Reader reads.
func TestCost(t *testing.T) {
	const size = 1000
	long := strings.Repeat("x", size)
	way := func(d details) *Known { return &Known{details: &d} }
	failed := func(f known.Failure) *Known { return &Known{Facts: known.Facts{Failure: &f}} }
	read := func(own *Known) *Known {
		k := &Known{readings: new(readings)}
		k.readings.all.Store(&[]reading{{1, nil}, {2, k}, {3, own}})
		return k
	}
	none := cost(new(Known))
	for name, k := range map[string]*Known{
		"a name": {name: name{text: long}}, "a hop": way(details{hops: []string{long}}), "what is beyond": way(details{beyond: long}),
		"an error": way(details{err: errors.New(long)}), "an ETag": way(details{validators: fetch.Validators{ETag: long}}),
		"a URL": way(details{validators: fetch.Validators{URL: long}}), "a date": way(details{validators: fetch.Validators{LastModified: long}}),
		"a failure": failed(known.Failure{Beyond: long}), "the way to a failure": failed(known.Failure{Hops: []string{long}}), "why": failed(known.Failure{Err: errors.New(long)}),
		"a reading": read(way(details{beyond: long})), "a failure that is read": read(failed(known.Failure{Beyond: long})),
	} {
		assert.InDelta(t, none+size+200, cost(k), 200, name)
	}
	same := read(nil)
	same.details = &details{beyond: long}
	shared := *same.readings.all.Load()
	shared[2].k = &Known{details: same.details}
	assert.Less(t, cost(same), none+2*size, "what is shared counts once")
}

// An answer behind redirects means something else to who follows fewer, and so does a try that was ended.
func TestReadable(t *testing.T) {
	for name, k := range map[string]*Known{
		"a hop": {details: &details{hops: []string{"x"}}}, "one hop too many": {details: &details{beyond: "x"}},
		"a failure behind a hop": {Facts: known.Facts{Failure: &known.Failure{Hops: []string{"x"}}}},
		"a failure beyond":       {Facts: known.Facts{Failure: &known.Failure{Beyond: "x"}}},
		"a timeout":              {Facts: known.Facts{Failure: &known.Failure{TimedOut: time.Nanosecond}}},
	} {
		assert.NotNil(t, k.readable().readings, name)
	}
	assert.Nil(t, (&Known{details: &details{validators: fetch.Validators{ETag: "x"}}, Facts: known.Facts{Failure: new(known.Failure)}}).readable().readings)
}

// Few readings of one origin are remembered, the latest. They count if the origin is in memory.
func TestRemember(t *testing.T) {
	o := origin.Origin{Host: "a", Port: 80}
	for _, kept := range []bool{false, true} {
		m := New(100_000, func() int64 { return 0 }, nil)
		k := &Known{readings: new(readings)}
		if kept {
			m.Keep(o, k)
		}
		for by := range uint64(3 * maxReadings) {
			m.remember(o, k, reading{by: by})
			all := k.readings.list()
			assert.Len(t, all, min(int(by)+1, maxReadings))
			assert.Equal(t, by, all[len(all)-1].by)
			assert.Equal(t, map[bool]int32{true: cost(k)}[kept], int32(m.Stats().Bytes))
		}
	}
}

// One request asks again in the background, and another only if no answer has come for a while.
func TestDue(t *testing.T) {
	var k Known
	due := func(at time.Duration) bool {
		due, _ := k.due(&k.Facts, true, int64(at), time.Hour)
		return due
	}
	assert.True(t, due(0))
	assert.False(t, due(0), "also in the first second of a process")
	const begin = 10 * time.Minute
	assert.True(t, due(begin))
	assert.False(t, due(begin))
	assert.False(t, due(begin+askedFor))
	assert.True(t, due(begin+askedFor+time.Second))
	assert.False(t, due(begin+askedFor+2*time.Second))
	assert.Equal(t, int64(begin+2*askedFor+time.Second), k.look(&known.Facts{Fetched: 0}, time.Second))
}

// How long there was no request before one: long if there was none, and to the second.
func TestIdle(t *testing.T) {
	var k Known
	now := int64(0)
	for _, test := range []struct{ after, idle time.Duration }{
		{5 * time.Hour, longIdle}, {0, 0}, {999 * time.Millisecond, 999 * time.Millisecond}, {time.Millisecond, time.Second}, {time.Minute, time.Minute}, {2 * time.Hour, 2 * time.Hour},
	} {
		now += int64(test.after)
		assert.Equal(t, int64(test.idle), k.visit(now), test.after)
	}
}

// If the Store could not be asked about a notice, it is asked again a while later.
func TestDoubt(t *testing.T) {
	for _, at := range []int64{0, int64(time.Hour)} {
		var k Known
		var n notices
		k.Stored(0, 0)
		assert.False(t, n.outdated(k.stored, at))
		n.miss()
		assert.True(t, n.outdated(k.stored, at))
		assert.False(t, k.stored.announced(at))
		k.stored.noticed.Store(1)
		assert.True(t, new(notices).outdated(k.stored, at))
		assert.True(t, k.stored.announced(at))
		k.Doubt(at)
		for wait, asks := range map[time.Duration]bool{0: false, askedFor: false, askedFor + 1: true} {
			assert.Equal(t, asks, n.outdated(k.stored, max(at, 1)+int64(wait)))
			assert.Equal(t, asks, k.stored.announced(max(at, 1)+int64(wait)))
		}
		k.Confirm(1)
		assert.False(t, n.outdated(k.stored, at))
		assert.False(t, k.stored.announced(at))
	}
	assert.False(t, new(notices).outdated(nil, 0))
	assert.False(t, (*stored)(nil).announced(0))
}

// An answer that confirms the last one holds for as long as that one did, unless it says how long itself.
func TestUnchanged(t *testing.T) {
	last := Answered(nil, fetch.Answer{Status: 200, MaxAge: time.Hour, Body: []byte(body)}, nil, nil, 0)
	for came, want := range map[time.Duration]time.Duration{-1: time.Hour, 0: 0, time.Minute: time.Minute} {
		k := Answered(last, fetch.Answer{Status: 304, Unchanged: true, MaxAge: came}, nil, nil, 5)
		assert.Equal(t, want, k.Age)
		assert.Same(t, last.File, k.File)
		assert.EqualValues(t, 200, k.Status)
		assert.EqualValues(t, 5, k.Fetched)
	}
	for _, test := range []struct{ came, asks fetch.Validators }{
		{fetch.Validators{URL: "u", ETag: "a"}, fetch.Validators{URL: "u", ETag: "a"}},
		{fetch.Validators{URL: "u", LastModified: "b"}, fetch.Validators{URL: "u", LastModified: "b"}},
		{fetch.Validators{URL: "u"}, fetch.Validators{}},
	} {
		k := Answered(nil, fetch.Answer{Status: 200, Body: []byte(body), Validators: test.came}, nil, nil, 0)
		assert.Equal(t, test.asks, k.Validators())
		assert.Equal(t, test.asks == fetch.Validators{}, k.details == nil)
		assert.Zero(t, Answered(nil, fetch.Answer{Status: 404, Validators: test.came}, nil, nil, 0).Validators(), "there is no file to confirm")
	}
}

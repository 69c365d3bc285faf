package polite

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/turns"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asks returns a GET request for a URL.
func asks(t testing.TB, rawURL string) *http.Request {
	req, err := http.NewRequest(http.MethodGet, rawURL, nil)
	require.NoError(t, err)
	return req
}

// Zero and negative values of a Pace are its defaults, but for those that have a meaning of their own.
func TestPlainPace(t *testing.T) {
	usual := turns.Pace{MaxDelay: 30 * time.Second, Terms: lane.Terms{MaxQueue: 10_000, Limit: true, Ceiling: 6}}
	busy := func(*http.Request, *http.Response, error) Load { return LoadBusy }
	for name, test := range map[string]struct {
		pace Pace
		want turns.Pace
	}{
		"zero":      {Pace{}, usual},
		"negative":  {Pace{MinDelay: -2, MaxDelay: -2, Jitter: -2, Concurrency: -2, MaxWait: -2, MaxQueue: -2}, usual},
		"no number": {Pace{Jitter: math.NaN()}, usual},
		"the least": {Pace{MinDelay: 1, MaxDelay: 1, RefuseLonger: true, Jitter: 0.1, Concurrency: 1, MaxWait: 1, MaxQueue: 1, MaxRetryAfter: 1},
			turns.Pace{MaxDelay: 1, Refuse: true, MaxRetryAfter: 1, Terms: lane.Terms{Gap: 1, Jitter: 0.1, Slots: 1, MaxWait: 1, MaxQueue: 1, Limit: true}}},
		"none": {Pace{MinDelay: NoDelay, MaxDelay: NoDelay, Concurrency: NoLimit, MaxQueue: NoQueue},
			turns.Pace{MaxDelay: -1, Terms: lane.Terms{MaxQueue: -1, Limit: true}}},
		"off": {Pace{Backoff: Backoff{Off: true, Judge: busy}}, turns.Pace{MaxDelay: 30 * time.Second, Terms: lane.Terms{MaxQueue: 10_000}}},
	} {
		assert.Equal(t, test.want, test.pace.plain(), name)
	}
	kind, judged := (&Pace{Backoff: Backoff{Judge: busy}}).plain().Judge(nil, nil, nil)
	assert.Equal(t, limit.Busy, kind)
	assert.True(t, judged)
	for load, want := range map[Load]limit.Kind{LoadGood: limit.Good, LoadNeutral: limit.Neutral} {
		kind, judged := load.kind()
		assert.Equal(t, want, kind)
		assert.True(t, judged)
	}
	_, judged = LoadAsUsual.kind()
	assert.False(t, judged)
}

// Each field of a Pace counts if it says something, else that of the usual Pace does. What is on stays on.
func TestPaceOver(t *testing.T) {
	pace := func(n int, key string, load Load) Pace {
		return Pace{
			MinDelay: time.Duration(n), MaxDelay: time.Duration(n), Jitter: float64(n), Concurrency: n, MaxWait: time.Duration(n), MaxQueue: n,
			MaxRetryAfter: time.Duration(n), Group: &Group{Concurrency: n}, Key: func(*http.Request) string { return key }, RefuseLonger: true,
			Backoff: Backoff{Off: true, Judge: func(*http.Request, *http.Response, error) Load { return load }},
		}
	}
	texts := func(p Pace) any { // functions cannot be compared
		key, load := p.Key(nil), p.Backoff.Judge(nil, nil, nil)
		p.Key, p.Backoff.Judge = nil, nil
		return []any{key, load, p}
	}
	own, usual := pace(1, "own", LoadGood), pace(2, "usual", LoadBusy)
	assert.Equal(t, texts(usual), texts(Pace{}.over(&usual)))
	assert.Equal(t, texts(own), texts(own.over(&usual)))
	assert.Equal(t, texts(own), texts(own.over(&Pace{})))
	assert.Equal(t, Pace{MinDelay: 1}, Pace{MinDelay: 1}.over(&Pace{}))
}

// A request is in a Group if the Group has a name for it, and anything to keep.
func TestGroupOf(t *testing.T) {
	named := func(key string) func(*http.Request) string { return func(*http.Request) string { return key } }
	of := func(terms lane.Terms) *fleet.Group { return &fleet.Group{Lane: fleet.OfGroup("a"), Terms: terms} }
	for name, test := range map[string]struct {
		group *Group
		limit bool
		want  *fleet.Group
		text  string // for other processes
	}{
		"none":              {nil, true, nil, "none"},
		"no Key":            {&Group{MinDelay: 1}, true, nil, "none"},
		"no name":           {&Group{Key: named(""), MinDelay: 1}, true, nil, "MinDelay 1ns, Concurrency 0"},
		"nothing to keep":   {&Group{Key: named("a")}, false, nil, "MinDelay 0s, Concurrency 0"},
		"negative":          {&Group{Key: named("a"), MinDelay: -1, Concurrency: -1}, true, of(lane.Terms{Limit: true}), "MinDelay -1ns, Concurrency -1"},
		"breaks":            {&Group{Key: named("a")}, true, of(lane.Terms{Limit: true}), "MinDelay 0s, Concurrency 0"},
		"a gap":             {&Group{Key: named("a"), MinDelay: 1}, false, of(lane.Terms{Gap: 1}), "MinDelay 1ns, Concurrency 0"},
		"a request at once": {&Group{Key: named("a"), Concurrency: 1}, false, of(lane.Terms{Slots: 1}), "MinDelay 0s, Concurrency 1"},
	} {
		assert.Equal(t, test.want, test.group.of(nil, test.limit), name)
		assert.Equal(t, test.text, test.group.text(), name)
	}
}

// With comes before Sites, and Sites before the fields of the Transport.
func TestSettle(t *testing.T) {
	req := asks(t, "http://a.example/")
	at, err := origin.OfRequest(req)
	require.NoError(t, err)
	named := func(key string) func(*http.Request) string { return func(*http.Request) string { return key } }
	for name, test := range map[string]struct {
		usual Pace
		site  *Options
		with  *Options
		wait  time.Duration // the longest; negative: also for a site that is down
		lane  fleet.Key
		basis string // of an agreement
	}{
		"nothing":               {lane: fleet.OfOrigin(at)},
		"no Options":            {site: nil, with: new(Options), usual: Pace{MaxWait: 3}, wait: 3, lane: fleet.OfOrigin(at)},
		"a MaxWait of the site": {usual: Pace{MaxWait: 3}, site: &Options{MaxWait: 2}, wait: 2, lane: fleet.OfOrigin(at)},
		"a MaxWait of both":     {usual: Pace{MaxWait: 3}, site: &Options{MaxWait: 2}, with: &Options{MaxWait: 1}, wait: 1, lane: fleet.OfOrigin(at)},
		"a negative MaxWait":    {usual: Pace{MaxWait: 3}, with: &Options{MaxWait: -1}, wait: 3, lane: fleet.OfOrigin(at)},
		"Forever":               {usual: Pace{MaxWait: 3}, with: &Options{MaxWait: Forever}, wait: -1, lane: fleet.OfOrigin(at)},
		"a Key of the Pace":     {usual: Pace{Key: named("a")}, lane: fleet.OfUser("a")},
		"a Key of the site":     {usual: Pace{Key: named("a")}, site: &Options{Key: "b"}, lane: fleet.OfUser("b")},
		"a Key of both":         {site: &Options{Key: "b"}, with: &Options{Key: "c"}, lane: fleet.OfUser("c")},
		"an agreed site":        {site: &Options{Agreed: true, Basis: "b"}, with: new(Options), lane: fleet.OfOrigin(at), basis: "b"},
		"an agreed request":     {site: &Options{Basis: "b"}, with: &Options{Agreed: true, Basis: "c"}, lane: fleet.OfOrigin(at), basis: "c"},
		"a basis of nothing":    {site: &Options{Basis: "b"}, with: &Options{Basis: "c"}, lane: fleet.OfOrigin(at)},
	} {
		s := sites{usual: test.usual, plain: test.usual.plain(), own: func(*http.Request) *Options { return test.site }}
		to := destination{Site: turns.Site{Origin: at}}
		s.settle(&to, req, test.with)
		assert.Equal(t, test.wait, to.Pace.Terms.MaxWait, name)
		assert.Equal(t, test.lane, to.Lane, name)
		assert.Equal(t, test.basis, to.basis, name)
		assert.Equal(t, test.basis != "", to.reason == ReasonAgreed, name)
	}
}

// An agreement of With is about the origin that was asked for first, whatever URL leads to it.
func TestFirstOrigin(t *testing.T) {
	a, b := asks(t, "http://a.example/"), asks(t, "http://b.example/")
	hop, back, odd := asks(t, "http://b.example/"), asks(t, "http://a.example/2"), asks(t, "http://192.0.2.1/")
	hop.Response, back.Response = &http.Response{Request: a}, &http.Response{Request: hop}
	lost := asks(t, "http://a.example/")
	lost.Response = &http.Response{Request: &http.Request{URL: &url.URL{Scheme: "http"}}}
	odd.Host = "a.example"
	for want, all := range map[bool][]*http.Request{true: {a, b, back, odd}, false: {hop, lost}} {
		for _, req := range all {
			at, err := origin.OfRequest(req)
			require.NoError(t, err)
			assert.Equal(t, want, isFirstOrigin(req, &destination{Site: turns.Site{Origin: at}}), req.URL)
		}
	}
}

// Sites is asked again for a request that waits, unless With has a Pace.
func TestChanging(t *testing.T) {
	req := asks(t, "http://a.example/")
	with := func(o Options) *http.Request { return req.WithContext(With(context.Background(), o)) }
	s := sites{usual: Pace{MaxDelay: 2}, plain: turns.Pace{MaxDelay: 2}}
	assert.False(t, s.changing(req))
	var own *Options
	s.own = func(*http.Request) *Options { return own }
	assert.True(t, s.changing(req))
	assert.True(t, s.changing(with(Options{})))
	assert.False(t, s.changing(with(Options{Pace: new(Pace)})))
	for want, o := range map[time.Duration]*Options{2: nil, 1: {Pace: &Pace{MaxDelay: 1}}} {
		own = o
		assert.Equal(t, want, s.pace(req).MaxDelay)
	}
	own = new(Options)
	assert.Equal(t, s.plain, s.pace(req))
}

// What a site bears, in words.
func TestLimitInWords(t *testing.T) {
	for want, l := range map[string]Limit{
		"the site bears 2 requests at a time":                                 {Window: 2},
		"the site is busy: 1 request at a time, one every 1s":                 {Trouble: TroubleBusy, Window: 1, Gap: time.Second},
		"the site refuses connections: 1 request at a time":                   {Trouble: TroubleRefused, Window: 1},
		"the site does not answer: 1 request at a time":                       {Trouble: TroubleSilent, Window: 1},
		"the site answers with errors: 1 request at a time":                   {Trouble: TroubleBroken, Window: 1},
		"the site forbids its pages: 1 request at a time":                     {Trouble: TroubleBarred, Window: 1},
		"a wall before the site answers with challenges: 1 request at a time": {Trouble: TroubleChallenged, Window: 1},
		"the group of the site is well, one every 2s":                         {Group: true, Gap: 2 * time.Second},
		"the group of the site answers with errors":                           {Group: true, Trouble: TroubleBroken, Window: 1},
	} {
		assert.Equal(t, want, l.String())
	}
	synctest.Test(t, func(t *testing.T) {
		s := limit.State{Window: 3, Gap: 2, Asked: true, Break: 1, Why: limit.Busy, Tries: 4}
		want := Limit{Origin: "a", Window: 3, Gap: 2, Asked: true, Until: time.Now().Add(1)}
		assert.Equal(t, want, limitOf("a", s, false))
		s.Incident, s.Break = true, 0
		assert.Equal(t, Limit{Origin: "a", Group: true, Gap: 2, Asked: true, Trouble: TroubleBusy, Tries: 4}, limitOf("a", s, true))
	})
}

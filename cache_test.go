package polite

import (
	"fmt"
	"math"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Why a Lane waits, in words.
func TestWhyLanesWait(t *testing.T) {
	since, at := time.Date(2000, 1, 2, 3, 4, 5, 0, time.UTC), "2000-01-02T03:04:05Z"
	one, two := Lane{Sent: 1, Open: 1, Since: since}, Lane{Sent: 2, Open: 2, Since: since}
	waits := func(l Lane, cause Cause) Lane { l.Cause = cause; return l }
	breaks := func(l Limit) Lane { l.Until = since; return Lane{Cause: CauseBreak, Limit: l} }
	for want, l := range map[string]Lane{
		"":                             {Group: true},
		"there is a break until " + at: breaks(Limit{}),
		"the site has asked for a break until " + at:                                                           breaks(Limit{Asked: true, Trouble: TroubleBusy}),
		"the site is busy, and has a break until " + at:                                                        breaks(Limit{Trouble: TroubleBusy}),
		"in the group of the site: there is a break until " + at:                                               {Group: true, Cause: CauseBreak, Limit: Limit{Until: since}},
		"one request goes first after a break, and has had no answer since " + at:                              waits(one, CauseTrial),
		"1 answer is open, of a request of " + at + ": is its body closed?":                                    waits(one, CauseBodies),
		"2 answers are open, the oldest of a request of " + at + ": are their bodies closed?":                  waits(two, CauseBodies),
		"1 request has had no answer since " + at + ": Pace.Concurrency allows no more":                        waits(one, CauseConcurrency),
		"2 requests have no answer, the oldest since " + at + ": without a Pace.Concurrency, no more are sent": waits(two, CauseCeiling),
		"2 requests have no answer, the oldest since " + at + ": the site bears no more":                       waits(two, CauseWindow),
		"there is a gap of 2s between two requests":                                                            {Cause: CauseGap, Limit: Limit{Gap: 2 * time.Second}},
		"Cache.Turns gives the starts before to other requests":                                                waits(one, CauseTurns),
		"its group waits": waits(one, CauseGroup),
	} {
		assert.Equal(t, want, l.Why())
	}
	assert.Empty(t, Lane{}.Why())
}

// A Lane tells what the lane of the engine knows.
func TestLaneOf(t *testing.T) {
	o, err := origin.OfRequest(asks(t, "http://a.example/"))
	require.NoError(t, err)
	s := lane.State{
		Waiting: 1, Sent: 2, Open: 3, Cause: lane.Slots, Since: time.Unix(4, 0), Next: time.Unix(5, 0), Break: time.Unix(6, 0), Asked: true, Gap: 7,
		Limit: limit.State{Window: 8},
	}
	want := Lane{
		Key: "http://a.example", Waiting: 1, Sent: 2, Open: 3, Cause: CauseConcurrency, Since: time.Unix(4, 0), Next: time.Unix(5, 0),
		Limit: Limit{Origin: "http://a.example", Window: 8, Gap: 7, Until: time.Unix(6, 0), Asked: true},
	}
	assert.Equal(t, want, laneOf(fleet.OfOrigin(o), s))
	want.Key, want.Group, want.Limit.Origin, want.Limit.Group, want.Limit.Window = "a b", true, "", true, 0
	assert.Equal(t, want, laneOf(fleet.OfGroup("a b"), s))
}

// What processes that share turns should have in common is told as it counts.
func TestSettings(t *testing.T) {
	all := func(pace turns.Pace, group *Group, key, sites bool, agents ...string) (values []string) {
		for _, s := range settings(pace, group, key, sites, agents) {
			values = append(values, s.Name+" "+s.Value)
		}
		return values
	}
	assert.Equal(t, []string{"MinDelay 1s", "MaxDelay 2s", "Concurrency 3", "Key true", "Group none", "Sites false", "Agents bot,b"},
		all(turns.Pace{MaxDelay: 2 * time.Second, Terms: lane.Terms{Gap: time.Second, Slots: 3}}, nil, true, false, "Bot", "b"))
	for want, pace := range map[string]turns.Pace{
		"MaxDelay ignored":          {MaxDelay: NoDelay},
		"MaxDelay refuse beyond 2s": {MaxDelay: 2 * time.Second, Refuse: true},
		"MaxDelay all obeyed":       {MaxDelay: math.MaxInt64},
	} {
		assert.Equal(t, []string{want, "Key false", "Sites true"}, func(all []string) []string { return []string{all[1], all[3], all[5]} }(all(pace, nil, false, true)))
	}
}

// Wrappers of Turns. wrapped, boxed and itself say what they wrap, and boxed is a Store as well. silent and shut do not say it.
type (
	wrapped struct{ store.Turns }
	boxed   struct{ *memstore.Store }
	silent  struct{ store.Turns }
	shut    struct{ *memstore.Store }
	itself  struct{ *memstore.Store }
)

func (w wrapped) Unwrap() store.Turns { return w.Turns }
func (b boxed) Unwrap() store.Turns   { return b.Store }
func (i itself) Unwrap() store.Turns  { return i }

// uncomparable is a Store that == cannot compare.
type uncomparable struct {
	*memstore.Store
	_ []int
}

// Turns tell of the entries of a Store if they are the Store, or say that they wrap it.
func TestTellsOf(t *testing.T) {
	s, other := new(memstore.Store), new(memstore.Store)
	for name, test := range map[string]struct {
		turns store.Turns
		of    store.Store
		want  bool
	}{
		"no Store":              {s, nil, false},
		"no Turns":              {nil, s, false},
		"the Store":             {s, s, true},
		"another":               {other, s, false},
		"wrapped":               {wrapped{wrapped{s}}, s, true},
		"wrapped by a Store":    {wrapped{boxed{s}}, s, true},
		"the wrapper":           {wrapped{boxed{s}}, boxed{s}, true},
		"another, wrapped":      {wrapped{boxed{other}}, s, false},
		"it does not say what":  {silent{s}, s, false},
		"a Store says not what": {shut{s}, s, false},
		"it wraps itself":       {itself{s}, s, false},
		"it cannot be compared": {s, uncomparable{Store: s}, false},
	} {
		assert.Equal(t, test.want, tellsOf(test.turns, test.of), name)
	}
}

// Of MaxBytes, turns take up to a quarter. MaxFetches robots.txt files are fetched at once.
func TestBoundsOfCache(t *testing.T) {
	transport := &Transport{UserAgent: "Bot/1.0", Pace: Pace{MinDelay: time.Hour}, Cache: &Cache{MaxBytes: 4 << 20}, Base: base(func(req *http.Request) (*http.Response, error) {
		return answer(req, 404, ""), nil
	})}
	transport.Sites = func(*http.Request) *Options { return &Options{Agreed: true} }
	most := int64(0)
	for i := range 3000 {
		resp, err := transport.RoundTrip(asks(t, fmt.Sprintf("http://%d.example/", i)))
		require.NoError(t, err)
		resp.Body.Close()
		most = max(most, transport.Cache.lanes.Bytes())
	}
	assert.LessOrEqual(t, most, int64(1<<20))
	assert.Greater(t, most, int64(1<<19))
	for most, want := range map[int]int32{0: 100, -1: 100, 3: 3} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			transport := &Transport{UserAgent: "Bot/1.0", Cache: &Cache{MaxFetches: most}, Base: base(func(req *http.Request) (*http.Response, error) {
				asked.Add(1)
				<-req.Context().Done()
				return nil, req.Context().Err()
			})}
			for i := range 120 {
				go transport.RoundTrip(asks(t, fmt.Sprintf("http://%d.example/", i)))
			}
			synctest.Wait()
			assert.Equal(t, want, asked.Load())
			transport.CloseIdleConnections()
			time.Sleep(time.Hour)
		})
	}
}

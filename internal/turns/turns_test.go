package turns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const second = time.Second

// A scene has a Taker of one process, and what its hooks were told.
type scene struct {
	*Taker
	told  []string
	bytes int64 // of the lanes
}

func newScene() *scene {
	s, began := new(scene), time.Now()
	memory := answers.NewReader(answers.New(1<<20, func() int64 { return s.bytes }, nil))
	memory.MaxAge = 24 * time.Hour
	tell := func(what ...any) { s.told = append(s.told, strings.TrimSpace(fmt.Sprintln(what...))) }
	s.Taker = &Taker{
		Lanes: fleet.New(1<<20, nil), Memory: memory,
		Delays: func() bool { return false }, Tells: func() bool { return true },
		Hooks: Hooks{
			Called: func(context.Context, string, time.Time, error) {},
			Break: func(_ origin.Origin, status int, until time.Time) {
				tell("break", status, until.Sub(began).Round(10*second))
			},
			Block: func(_ *http.Request, status int, _ limit.Kind) { tell("block", status) },
			Limit: func(_ origin.Origin, _ limit.State, group bool) { tell("limit", group) },
		},
	}
	return s
}

// verdict returns the verdict for a request to a site with a robots.txt.
func (s *scene) verdict(robots string) *judge.Verdict {
	known := answers.Answered(nil, fetch.Answer{Status: 200, Body: []byte(robots), MaxAge: -1}, nil, agents, s.Memory.Now())
	s.Memory.Keep(home, known)
	return s.judge(known)
}

var (
	agents  = []string{"*"}
	home, _ = origin.OfKey("http://a.example")
)

func (s *scene) judge(known *answers.Known) *judge.Verdict {
	v := &judge.Verdict{Known: known}
	(&judge.Judge{Agents: agents, Memory: s.Memory}).Judge(v, "/")
	return v
}

const delay10, delay40 = "user-agent: *\ncrawl-delay: 10", "user-agent: *\ncrawl-delay: 40"

// finds are the terms of requests that look for what the site bears.
var finds = lane.Terms{Limit: true, MaxQueue: 9}

func siteOf(terms lane.Terms) *Site {
	return &Site{Origin: home, Lane: fleet.OfUser("a"), Pace: Pace{Terms: terms, MaxDelay: 30 * second, Refuse: true}}
}

func request(path string) *http.Request {
	return httptest.NewRequest("GET", "http://a.example"+path, nil)
}

func answer(code int, header ...string) *http.Response {
	return origintest.Response(request("/"), code, "a page", header...)
}

// A crawl-delay becomes a gap up to a bound. The longest wait and the longest queue are those of when a request came.
func TestPace(t *testing.T) {
	for _, tt := range []struct {
		most, delay, gap time.Duration
		refused          bool
	}{
		{-1, 10 * second, second, false},
		{0, 0, second, false},
		{0, 1, second, true},
		{10 * second, 10 * second, 10 * second, false},
		{10 * second, 10*second + 1, 10 * second, true},
		{10 * second, second / 2, second, false},
		{second / 2, 10 * second, second, true},
	} {
		p := Pace{Terms: lane.Terms{Gap: second}, MaxDelay: tt.most, Refuse: true}
		gap, refuse := p.Gap(tt.delay)
		assert.Equal(t, tt.gap, gap, "%+v", tt)
		assert.Equal(t, tt.refused, refuse, "%+v", tt)
		p.Refuse = false
		_, refuse = p.Gap(tt.delay)
		assert.False(t, refuse, "%+v", tt)
	}
	p := Pace{Terms: lane.Terms{Gap: second, MaxWait: 10 * second, MaxQueue: 3}}
	p.Return()
	p.Change(Pace{Terms: lane.Terms{Gap: 2 * second, MaxWait: 1, MaxQueue: 1}, MaxDelay: 7})
	assert.Equal(t, Pace{Terms: lane.Terms{Gap: 2 * second, MaxWait: 10 * second, MaxQueue: 3, Returns: true}, MaxDelay: 7}, p)
	assert.Equal(t, 3, p.LongestQueue())
	p.Waited(4 * second)
	assert.Equal(t, 6*second, p.LongestWait())
	p.Waited(6 * second)
	assert.Equal(t, time.Duration(1), p.LongestWait(), "it has waited for long enough, and zero is no limit")
	for _, none := range []time.Duration{0, -1} {
		p.LimitWait(none)
		p.Waited(second)
		assert.Equal(t, none, p.Terms.MaxWait)
		assert.Zero(t, p.LongestWait())
	}
	p.Terms.MaxQueue = -1
	assert.Zero(t, p.LongestQueue())
	for _, none := range []time.Duration{0, -1} {
		p.MaxRetryAfter = none
		assert.Equal(t, time.Hour, p.RetryAfter(time.Hour))
	}
	p.MaxRetryAfter = time.Minute
	assert.Equal(t, []time.Duration{time.Minute, second}, []time.Duration{p.RetryAfter(time.Hour), p.RetryAfter(second)})
}

// Pages below one folder are of one section, and all pages at the root. A program at the root has its own.
func TestSections(t *testing.T) {
	of := func(text string) (uint8, uint32) {
		u, err := url.Parse("http://a.example" + text)
		require.NoError(t, err)
		return hashes(u)
	}
	for _, same := range [][]string{{"", "/", "/a", "/b.html"}, {"/a/", "/a/b", "/a/b/c?d"}, {"/a?b", "/a?c"}} {
		first, _ := of(same[0])
		for _, text := range same {
			section, _ := of(text)
			assert.Equal(t, first, section, text)
		}
	}
	sections, targets := make(map[uint8]bool), make(map[uint32]bool)
	for _, text := range []string{"/", "/a/", "/b/", "/c?q", "/d?q"} {
		section, target := of(text)
		sections[section], targets[target] = true, true
		assert.Less(t, section, uint8(64))
		assert.NotZero(t, target)
	}
	assert.Len(t, sections, 5)
	assert.Len(t, targets, 5)
	_, path := of("/a%2fb")
	_, other := of("/a/b")
	_, query := of("/a%2fb?q")
	assert.False(t, path == other || path == query)
}

// What an answer says is in its status and its fields, unless the user judges it. The body may yet say that it is bad.
func TestAnswerOf(t *testing.T) {
	good := func(*http.Request, *http.Response, error) (limit.Kind, bool) { return limit.Good, true }
	nothing := func(*http.Request, *http.Response, error) (limit.Kind, bool) { return limit.Good, false }
	used := []string{"X-Ratelimit-Remaining", "0", "X-Ratelimit-Reset", "10"}
	own := lane.Terms{MaxQueue: 9}
	for _, tt := range []struct {
		name  string
		pace  Pace
		resp  *http.Response
		err   error
		kind  limit.Kind
		open  bool
		asks  [4]time.Duration // RetryAfter, QuotaGap, QuotaLeft, QuotaBreak
		lacks bool             // an answer
	}{
		{name: "a page", pace: Pace{Terms: finds}, resp: answer(200), kind: limit.Good, open: true},
		{name: "no page", pace: Pace{Terms: finds}, resp: answer(401), kind: limit.Neutral, open: true},
		{name: "nobody looks", pace: Pace{Terms: own}, resp: answer(200), kind: limit.Good},
		{name: "busy", pace: Pace{Terms: finds}, resp: answer(429), kind: limit.Busy},
		{name: "the user says that it is good", pace: Pace{Terms: finds, Judge: good}, resp: answer(429), kind: limit.Good},
		{name: "and that a page is", pace: Pace{Terms: finds, Judge: good}, resp: answer(200), kind: limit.Good},
		{name: "the user says nothing", pace: Pace{Terms: finds, Judge: nothing}, resp: answer(200), kind: limit.Good, open: true},
		{name: "the user says that an error is good", pace: Pace{Terms: finds, Judge: good}, err: io.EOF, kind: limit.Good, lacks: true},
		{name: "an error", pace: Pace{Terms: finds}, err: io.EOF, kind: limit.Broken, lacks: true},
		{name: "an error beside a page", pace: Pace{Terms: finds}, resp: answer(200), err: io.EOF, kind: limit.Broken, lacks: true},
		{name: "neither", pace: Pace{Terms: finds}, kind: limit.Neutral, lacks: true},
		{name: "Retry-After", pace: Pace{Terms: own}, resp: answer(503, "Retry-After", "20"), kind: limit.Down, asks: [4]time.Duration{0: 20 * second}},
		{name: "a long one", pace: Pace{Terms: finds, MaxRetryAfter: 15 * second}, resp: answer(503, "Retry-After", "20"), kind: limit.Down, asks: [4]time.Duration{0: 15 * second}},
		{name: "a quota is used up by a refusal", pace: Pace{Terms: finds}, resp: answer(429, used...), kind: limit.Busy, asks: [4]time.Duration{0: 10 * second}},
		{name: "which nobody looks for", pace: Pace{Terms: own}, resp: answer(429, used...), kind: limit.Busy, asks: [4]time.Duration{3: 10 * second}},
		{name: "a quota is used up by a page", pace: Pace{Terms: finds}, resp: answer(200, used...), kind: limit.Good, open: true, asks: [4]time.Duration{3: 10 * second}},
		{name: "a quota is low", pace: Pace{Terms: finds}, resp: answer(200, "X-Ratelimit-Remaining", "5", "X-Ratelimit-Reset", "10"), kind: limit.Good, open: true, asks: [4]time.Duration{1: 2 * second, 2: 10 * second}},
	} {
		said, open := answerOf(request("/"), &Site{Pace: tt.pace}, nil, tt.resp, tt.err)
		assert.Equal(t, tt.open, open, tt.name)
		assert.Equal(t, lane.Answer{Kind: tt.kind, Answered: !tt.lacks, RetryAfter: tt.asks[0], QuotaGap: tt.asks[1], QuotaLeft: tt.asks[2], QuotaBreak: tt.asks[3]}, said, tt.name)
	}
	s, ended := newScene(), errors.New("enough")
	a, ok := s.Lanes.Begin(fleet.OfUser("a"), lane.Terms{Gap: second}, lane.Arrival{})
	require.True(t, ok)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ended)
	require.ErrorIs(t, a.Ticket.Connected(ctx, false), ended)
	said, _ := answerOf(request("/"), &Site{Pace: Pace{Judge: good}}, a.Ticket, nil, io.EOF)
	assert.Equal(t, limit.Broken, said.Kind, "what was not written has no answer that could be judged")
}

// What an answer asks for begins, and is told, whether the request had a ticket or not.
func TestWhatFollowsFromAnAnswer(t *testing.T) {
	group := &fleet.Group{Lane: fleet.OfGroup("g"), Terms: finds}
	for _, tt := range []struct {
		name  string
		resp  *http.Response
		err   error
		times int
		group bool
		told  []string
		keeps time.Duration // until the next can go
	}{
		{name: "a page", resp: answer(200), times: 1},
		{name: "Retry-After", resp: answer(503, "Retry-After", "20"), times: 1, told: []string{"break 503 20s", "limit false"}, keeps: 20 * second},
		{name: "a quota", resp: answer(200, "X-Ratelimit-Remaining", "5", "X-Ratelimit-Reset", "10"), times: 1, keeps: 2 * second},
		{name: "403", resp: answer(403), times: 4, told: []string{"block 403", "block 403", "block 403", "block 403"}},
		{name: "a row of 403", resp: answer(403), times: 5, told: []string{"block 403", "block 403", "block 403", "block 403", "block 403", "break 403 0s", "limit false"}, keeps: second},
		{name: "a challenge", resp: answer(200, "Cf-Mitigated", "challenge"), times: 1, told: []string{"block 200"}},
		{name: "an error", err: io.EOF, times: 4},
		{name: "the site of a group is busy", resp: answer(429), times: 1, group: true, told: []string{"break 429 0s", "limit false"}, keeps: second},
	} {
		for _, alone := range []bool{true, false} {
			if alone && tt.group {
				continue
			}
			synctest.Test(t, func(t *testing.T) {
				s, to := newScene(), siteOf(finds)
				var own, above lane.Admission
				for range tt.times {
					if own = (lane.Admission{}); !alone {
						var err error
						own.Ticket, err = s.Lanes.Join(t.Context(), to.Lane, finds)
						require.NoError(t, err)
						if tt.group {
							to.Group = group
							above.Ticket, err = s.Lanes.JoinAbove(t.Context(), group.Lane, group.Terms, own.Ticket, false)
							require.NoError(t, err)
						}
						require.True(t, own.Ticket.Connect(above.Ticket), tt.name)
					}
					s.Answered(request("/"), to, own, tt.resp, tt.err)
					if tt.group {
						state, _ := s.Lanes.State(group.Lane)
						assert.Zero(t, state.Sent, "the group has heard of it")
					}
					own.Ticket.Done()
				}
				assert.Equal(t, tt.told, s.told, "%s, alone: %v", tt.name, alone)
				next, _ := s.Lanes.Next(to.Lane, finds)
				assert.InDelta(t, tt.keeps.Seconds(), time.Until(next).Seconds(), tt.keeps.Seconds()/2, "%s, alone: %v", tt.name, alone)
			})
		}
	}
}

// Of a request without a ticket, the next ones know that its section is well, if somebody looks for a limit, and whether
// its connection is closed.
func TestAnswerWithoutATicket(t *testing.T) {
	for _, tt := range []struct {
		name   string
		terms  lane.Terms
		resp   *http.Response
		isWell bool
	}{
		{"a page", finds, answer(200), true},
		{"no page", finds, answer(401), false},
		{"nobody looks", lane.Terms{MaxQueue: 9}, answer(200), false},
	} {
		for _, closes := range []bool{false, true} {
			s, to := newScene(), siteOf(tt.terms)
			begin := func(path string) lane.Admission {
				a, ok := s.Lanes.Begin(to.Lane, tt.terms, lane.Arrival{At: second})
				require.True(t, ok, tt.name)
				return a
			}
			a := begin("/a/")
			require.Nil(t, a.Ticket)
			tt.resp.Close = closes
			assert.False(t, s.Answered(request("/a/"), to, a, tt.resp, nil))
			a.Done()
			next := begin("/a/")
			assert.Equal(t, closes, next.Ticket != nil, tt.name)
			next.Done()
			to.Pace.Terms = finds
			for range 5 { // a row, unless the site is known to be well elsewhere
				s.Answered(request("/b/"), to, lane.Admission{}, answer(403), nil)
			}
			assert.Equal(t, tt.isWell, !s.Lanes.InBreak(to.Lane), "%s, closes: %v", tt.name, closes)
		}
	}
}

// upgraded is the body of an answer that has switched protocols.
type upgraded struct {
	io.Reader
	io.Writer
	io.Closer
}

// A turn with a slot lasts until the body is done, or the caller has gone.
func TestTurnLastsAsTheBody(t *testing.T) {
	slots := lane.Terms{Slots: 1, Limit: true}
	html := []string{"Content-Type", "text/html"}
	none := answer(200)
	none.Body = http.NoBody
	nobody := answer(200)
	nobody.Body = nil
	switched := answer(101)
	switched.Body = upgraded{strings.NewReader("hello"), io.Discard, io.NopCloser(nil)}
	for _, tt := range []struct {
		name  string
		terms lane.Terms
		resp  *http.Response
		err   error
		ends  string // what ends the turn; "": it does not last
	}{
		{"a page", slots, answer(200, html...), nil, "end"},
		{"a page that is closed", slots, answer(200, html...), nil, "close"},
		{"a page whose caller goes", slots, answer(200, html...), nil, "cancel"},
		{"a file", slots, answer(200), nil, "end"},
		{"a file that is closed", slots, answer(200), nil, "close"},
		{"a file whose caller goes", slots, answer(200), nil, "cancel"},
		{"a connection", slots, switched, nil, "close"},
		{"nothing to read", slots, none, nil, ""},
		{"no body", slots, nobody, nil, ""},
		{"an error", slots, answer(200), io.EOF, ""},
		{"no answer", slots, nil, io.EOF, ""},
		{"a file without a slot", lane.Terms{Gap: second}, answer(200), nil, ""},
		{"a page without a slot", lane.Terms{Gap: second, Limit: true}, answer(200, html...), nil, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, to := newScene(), siteOf(tt.terms)
			a, ok := s.Lanes.Begin(to.Lane, tt.terms, lane.Arrival{})
			require.True(t, ok)
			ctx, cancel := context.WithCancel(t.Context())
			a.Ticket.Bind(lane.Binding{Context: ctx})
			lasts := s.Answered(request("/"), to, a, tt.resp, tt.err)
			assert.Equal(t, tt.ends != "", lasts, tt.name)
			open := func() int { state, _ := s.Lanes.State(to.Lane); return state.Open }
			if lasts {
				assert.Equal(t, 1, open(), tt.name)
			}
			switch tt.ends {
			case "cancel":
				cancel()
				synctest.Wait()
			case "close":
				tt.resp.Body.Read(make([]byte, 1))
				assert.Equal(t, 1, open(), tt.name)
				tt.resp.Body.Close()
			case "end":
				io.Copy(io.Discard, tt.resp.Body)
			default:
				a.Ticket.Done()
			}
			assert.Zero(t, open(), tt.name)
			cancel()
		})
	}
}

// The page of a wall is bad, though its header said that it was good: each of them once, and only what the caller reads of it.
func TestPageOfAWall(t *testing.T) {
	const mark = "<html>sec-if-cpt-container"
	wall := func(header ...string) *http.Response {
		return origintest.Response(request("/"), 200, mark, append([]string{"Content-Type", "text/html"}, header...)...)
	}
	group := &fleet.Group{Lane: fleet.OfGroup("g"), Terms: finds}
	for _, tt := range []struct {
		name   string
		resp   *http.Response
		ticket bool
		group  *fleet.Group
		times  int
		told   []string
	}{
		{"alone", wall(), false, nil, 1, []string{"block 200"}},
		{"with a ticket", wall(), true, nil, 1, []string{"block 200"}},
		{"in a group", wall(), true, group, 1, []string{"block 200"}},
		{"in a coding", wall("Content-Encoding", "br"), true, nil, 1, nil},
		{"five alone", wall(), false, nil, 5, []string{"block 200", "block 200", "block 200", "block 200", "block 200", "break 200 0s", "limit false"}},
		{"five with tickets", wall(), true, nil, 5, []string{"block 200", "block 200", "block 200", "block 200", "block 200", "break 200 0s", "limit false"}},
	} {
		s, to := newScene(), siteOf(finds)
		to.Group = tt.group
		for range tt.times {
			var own, above lane.Admission
			if tt.ticket {
				var err error
				own.Ticket, err = s.Lanes.Join(t.Context(), to.Lane, finds)
				require.NoError(t, err)
				if tt.group != nil {
					above.Ticket, err = s.Lanes.JoinAbove(t.Context(), group.Lane, finds, own.Ticket, false)
					require.NoError(t, err)
				}
				require.True(t, own.Ticket.Connect(above.Ticket), tt.name)
			}
			resp := *tt.resp
			resp.Body = io.NopCloser(strings.NewReader(mark))
			s.Answered(request("/"), to, own, &resp, nil)
			own.Ticket.Done()
			before := len(s.told)
			io.CopyN(io.Discard, resp.Body, int64(len(mark)-1))
			assert.Len(t, s.told, before, tt.name)
			text, err := io.ReadAll(resp.Body)
			assert.NoError(t, err)
			assert.Equal(t, mark[len(mark)-1:], string(text), tt.name)
		}
		assert.Equal(t, tt.told, s.told, tt.name)
	}
}

// A request for robots.txt that is refused may ask for a break.
func TestLearn(t *testing.T) {
	for _, tt := range []struct {
		code        int
		wait, keeps time.Duration
	}{
		{503, 20 * second, 20 * second},
		{429, time.Hour, time.Minute},
		{200, 20 * second, 0},
		{503, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, to := newScene(), siteOf(finds)
			to.Pace.MaxRetryAfter = time.Minute
			s.Learn(to, tt.code, tt.wait)
			next, _ := s.Lanes.Next(to.Lane, finds)
			assert.Equal(t, tt.keeps, time.Until(next), "%+v", tt)
			assert.Equal(t, tt.keeps > 0, len(s.told) == 1, "%+v", tt)
		})
	}
}

// A request goes at once if nothing has to be kept. It has a ticket if it may have to connect first.
func TestBegin(t *testing.T) {
	group := &fleet.Group{Lane: fleet.OfGroup("g"), Terms: finds}
	for _, tt := range []struct {
		name   string
		robots string
		terms  lane.Terms
		group  *fleet.Group
		goes   bool
	}{
		{"nothing", "", finds, nil, true},
		{"a crawl-delay", delay10, finds, nil, false},
		{"a gap", "", lane.Terms{Gap: second}, nil, false},
		{"a group", "", finds, group, false},
	} {
		s, to := newScene(), siteOf(tt.terms)
		to.Group = tt.group
		a, ok := s.Begin(to, s.verdict(tt.robots))
		assert.Equal(t, tt.goes, ok, tt.name)
		a.Done()
	}
	for _, tt := range []struct {
		name    string
		idle    time.Duration
		unknown bool // robots.txt
		delays  bool // Base
		ticket  bool
	}{
		{name: "the connection is likely to be there"},
		{name: "it is not", idle: time.Minute, ticket: true},
		{name: "robots.txt was not needed, and nothing came before", unknown: true, ticket: true},
		{name: "each request connects", delays: true, ticket: true},
	} {
		s, to := newScene(), siteOf(finds)
		v := s.verdict("")
		v.Found = answers.Found{At: second, Idle: tt.idle}
		if s.Delays = func() bool { return tt.delays }; tt.unknown {
			v.Known = nil
		}
		a, ok := s.Begin(to, v)
		assert.True(t, ok, tt.name)
		assert.Equal(t, tt.ticket, a.Ticket != nil, tt.name)
		a.Done()
	}
}

// When the next request could go, and what keeps it, is told as it is: the site, or its group if that keeps it for longer.
func TestNext(t *testing.T) {
	busy := lane.Answer{Kind: limit.Busy, Answered: true}
	hour := lane.Answer{Kind: limit.Busy, Answered: true, RetryAfter: time.Hour}
	for _, tt := range []struct {
		name            string
		robots          string
		terms           lane.Terms
		group           *lane.Terms
		own, above      *lane.Answer  // of requests before
		delay, gap      time.Duration // a gap of 1 is any
		start           time.Duration
		incident, ofAll bool
	}{
		{name: "nothing", terms: finds},
		{name: "a gap", terms: lane.Terms{Gap: second}, gap: second},
		{name: "a crawl-delay", robots: delay10, terms: lane.Terms{Gap: second}, delay: 10 * second, gap: 10 * second},
		{name: "too long a crawl-delay", robots: delay40, terms: finds, delay: 40 * second, start: 20 * time.Hour},
		{name: "a break", terms: finds, own: &hour, start: time.Hour, gap: 1, incident: true},
		{name: "a break, and nobody looks", terms: lane.Terms{MaxQueue: 9}, own: &hour, start: time.Hour},
		{name: "a group", terms: lane.Terms{Gap: second}, group: &lane.Terms{Gap: 2 * second}, gap: 2 * second},
		{name: "a group that is faster", terms: lane.Terms{Gap: second}, group: &lane.Terms{Gap: 2}, gap: second},
		{name: "a group in a break", terms: finds, group: &finds, own: &busy, above: &hour, start: time.Hour, gap: 1, incident: true, ofAll: true},
		{name: "a site of a group in a break", terms: finds, group: &finds, own: &hour, above: &busy, start: time.Hour, gap: 1, incident: true},
		{name: "a group that looks for no limit", terms: finds, group: &lane.Terms{}, own: &busy, above: &hour, start: time.Hour, gap: 1, incident: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, to := newScene(), siteOf(tt.terms)
			if tt.own != nil {
				s.Lanes.Answered(to.Lane, tt.terms, *tt.own)
			}
			if tt.group != nil {
				to.Group = &fleet.Group{Lane: fleet.OfGroup("g"), Terms: *tt.group}
			}
			if tt.above != nil {
				s.Lanes.Answered(to.Group.Lane, *tt.group, *tt.above)
			}
			n := s.Next(to, s.verdict(tt.robots))
			assert.Equal(t, tt.delay, n.CrawlDelay, tt.name)
			if tt.gap != 1 {
				assert.Equal(t, tt.gap, n.Gap, tt.name)
			}
			if tt.start > 0 {
				assert.InDelta(t, tt.start.Seconds(), time.Until(n.Start).Seconds(), tt.start.Seconds()/4, tt.name)
			} else {
				assert.Zero(t, n.Start, tt.name)
			}
			assert.Equal(t, [2]bool{tt.incident, tt.ofAll}, [2]bool{n.Limit.Incident, n.OfGroup}, tt.name)
		})
	}
}

// A site that asks for too long a delay is asked again after that delay, or when its robots.txt is, whatever is later.
func TestTooLongADelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to := newScene(), siteOf(finds)
		for robots, want := range map[string]time.Duration{delay40: 20 * time.Hour, "user-agent: *\ncrawl-delay: 200000": 200_000 * second} {
			_, err := s.terms(to, s.verdict(robots))
			late, ok := errors.AsType[*lane.LateError](err)
			if assert.True(t, ok) {
				assert.Equal(t, lane.TooLong, late.Cause)
				assert.InDelta(t, want.Seconds(), time.Until(late.Turn).Seconds(), 4*3600)
			}
		}
		terms, err := s.terms(to, s.verdict(delay10))
		require.NoError(t, err)
		assert.Equal(t, lane.Terms{Limit: true, MaxQueue: 9, Gap: 10 * second}, terms)
		to.Group = &fleet.Group{}
		s.Tells = func() bool { return false }
		to.Pace.Terms.Gap = 20 * second
		terms, err = s.terms(to, s.verdict(delay10))
		require.NoError(t, err)
		assert.Equal(t, lane.Terms{Limit: true, MaxQueue: 9, Gap: 20 * second, Joins: true, Silent: true}, terms)
	})
}

// A dry run knows the turns that requests would have had, in both lanes, and keeps the breaks that were asked for.
func TestRehearsal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to, came := newScene(), siteOf(lane.Terms{Gap: second}), time.Now()
		var r Rehearsal
		turn := func(robots string) time.Duration {
			at, err := r.Turn(s.Taker, to, s.verdict(robots), came)
			require.NoError(t, err)
			return at.Sub(came)
		}
		for _, want := range []time.Duration{0, second, 2 * second} {
			assert.Equal(t, want, turn(""))
		}
		_, err := r.Turn(s.Taker, to, s.verdict(delay40), came)
		assert.Error(t, err)
		assert.Equal(t, 3*second, turn(delay10))
		assert.Equal(t, 13*second, turn(""))
		to.Group = &fleet.Group{Lane: fleet.OfGroup("g"), Terms: lane.Terms{Gap: 20 * second}}
		assert.Equal(t, 14*second, turn(""))
		assert.Equal(t, 34*second, turn(""), "the group")
		to.Group = nil
		assert.Equal(t, 35*second, turn(""))

		time.Sleep(40 * second)
		came = time.Now()
		assert.Zero(t, turn(""), "never before now")
		r.Heard(to, nil)
		r.Heard(to, answer(200, "Retry-After", "20"))
		assert.Equal(t, second, turn(""))
		time.Sleep(second)
		r.Heard(to, answer(503, "Retry-After", "20"))
		r.Heard(to, answer(503, "Retry-After", "10"))
		assert.Equal(t, 2*second, turn(""), "it came before the break")
		came = time.Now().Add(1)
		time.Sleep(second)
		r.Heard(to, answer(200))
		assert.Equal(t, 20*second-1, turn(""), "it came after it, and the longest counts")
		to.Pace.MaxRetryAfter = time.Minute
		r.Heard(to, answer(503, "Retry-After", "6000"))
		came = time.Now().Add(1)
		assert.Equal(t, time.Minute-1, turn(""))

		late := Late(came)
		assert.Equal(t, came, late.Turn)
	})
}

// A dry run remembers so many lanes: it forgets those whose turns are over, or all.
func TestRehearsalIsBounded(t *testing.T) {
	for _, over := range []int{mostRehearsed, mostRehearsed/2 + 1, mostRehearsed / 2} {
		synctest.Test(t, func(t *testing.T) {
			var r Rehearsal
			for i := range mostRehearsed {
				r.keep(fleet.OfUser(fmt.Sprint(i)), func(l *rehearsed) {
					if l.next = time.Now(); i >= over {
						l.next = l.next.Add(1)
					}
				})
			}
			assert.Len(t, r.lanes, mostRehearsed)
			r.keep(fleet.OfUser("another"), func(l *rehearsed) { l.next = time.Now().Add(1) })
			want := mostRehearsed - over + 1
			if want > mostRehearsed/2 {
				want = 0
			}
			assert.Len(t, r.lanes, want)
		})
	}
}

// What keeps a request that has no ticket is told of the site, or of its group if that keeps it.
func TestKeeps(t *testing.T) {
	spaced := lane.Terms{Gap: second, MaxQueue: 9}
	for _, tt := range []struct {
		name       string
		terms      lane.Terms
		group      *lane.Terms
		own, above time.Duration // breaks
		fleet      bool
		cause      lane.Cause
		ofGroup    bool
		reserves   bool
	}{
		{"nothing", finds, nil, 0, 0, false, lane.NoCause, false, false},
		{"a break", finds, nil, second, 0, false, lane.InBreak, false, false},
		{"a group that keeps nothing", finds, &lane.Terms{}, 0, 0, false, lane.Above, false, false},
		{"a group in a break", finds, &lane.Terms{}, 0, second, false, lane.InBreak, true, false},
		{"both are in a break", spaced, &spaced, second, second, false, lane.InBreak, false, false},
		{"a gap", spaced, nil, 0, 0, true, lane.Reserved, false, true},
		{"slots", lane.Terms{Slots: 2, MaxQueue: 9}, nil, 0, 0, true, lane.Reserved, false, false},
		{"nothing in a fleet", finds, &finds, 0, 0, true, lane.Above, false, false},
		{"the gap of a group", finds, &spaced, 0, 0, true, lane.Reserved, true, true},
		{"a gap below a group", spaced, &finds, 0, 0, true, lane.Reserved, false, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, to := newScene(), siteOf(tt.terms)
			if tt.fleet {
				s.Lanes = fleet.New(1<<20, new(memstore.Turns))
				defer s.Lanes.StopWatching()
				s.Keeps(to, s.verdict(""))
				synctest.Wait() // it hears all
			}
			s.Lanes.Lanes.Break(to.Lane, time.Now().Add(tt.own))
			if tt.group != nil {
				to.Group = &fleet.Group{Lane: fleet.OfGroup("g"), Terms: *tt.group}
				s.Lanes.Lanes.Break(to.Group.Lane, time.Now().Add(tt.above))
			}
			key, state, reserves := s.Keeps(to, s.verdict(""))
			assert.Equal(t, tt.cause, state.Cause, tt.name)
			assert.Equal(t, tt.ofGroup, key.IsGroup(), tt.name)
			assert.Equal(t, tt.reserves, reserves, tt.name)
		})
	}
}

// What takes memory in a lane makes room for it.
func TestMemoryIsTrimmed(t *testing.T) {
	for name, takes := range map[string]func(s *scene, to *Site){
		"a turn":    func(s *scene, to *Site) { s.Take(t.Context(), to, new(judge.Verdict), nil, Calls{}) },
		"a break":   func(s *scene, to *Site) { s.Learn(to, 503, second) },
		"a promise": func(s *scene, to *Site) { s.ComeBack(to, time.Now()) },
	} {
		s, to := newScene(), siteOf(finds)
		s.verdict(delay10)
		other, err := origin.OfKey("http://other.example")
		require.NoError(t, err)
		s.Memory.Keep(other, answers.Failed(nil, fetch.Answer{}, io.EOF, 0))
		s.bytes = 1 << 21
		require.Equal(t, 2, s.Memory.Stats().Origins)
		takes(s, to)
		assert.Equal(t, 1, s.Memory.Stats().Origins, name)
	}
}

// Whoever waits for its turn is judged again if the rules change, or are out of date when the turn comes. It waits by the
// rules and the Pace of then.
func TestTake(t *testing.T) {
	spaced := lane.Terms{Gap: second, MaxQueue: 9}
	type told struct {
		what string
		at   time.Duration
	}
	for _, tt := range []struct {
		name   string
		group  *fleet.Group
		during func(s *scene)
		pace   *Pace // when it is the first
		wrong  error // of the rules, when it is judged again
		told   []told
		took   time.Duration
		err    error
	}{
		{name: "its turn comes", told: []told{{"waits", 10 * second}}, took: 10 * second},
		{name: "below a group", group: &fleet.Group{Lane: fleet.OfGroup("g"), Terms: lane.Terms{Gap: second}}, told: []told{{"waits", 10 * second}}, took: 10 * second},
		{name: "its Pace is asked for", pace: &Pace{Terms: lane.Terms{Gap: 20 * second}, MaxDelay: -1}, told: []told{{"waits", 10 * second}, {"pace", 0}}, took: 20 * second},
		{name: "its Pace refuses it", pace: &Pace{MaxDelay: second, Refuse: true}, told: []told{{"waits", 10 * second}, {"pace", 0}}, err: &lane.LateError{Cause: lane.TooLong}},
		{name: "the rules change", during: func(s *scene) {
			time.Sleep(3 * second)
			s.verdict("user-agent: *\ncrawl-delay: 20")
		}, told: []told{{"waits", 10 * second}, {"again false", 3 * second}}, took: 20 * second},
		{name: "the rules forbid it", during: func(s *scene) { s.verdict("") }, wrong: io.EOF, told: []told{{"waits", 10 * second}, {"again false", 0}}, err: io.EOF},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, to, began := newScene(), siteOf(spaced), time.Now()
			v := s.verdict(delay10)
			_, err := s.Take(t.Context(), to, v, nil, Calls{})
			require.NoError(t, err)
			to.Group = tt.group
			var all []told
			calls := Calls{
				Waits: func(start time.Time) { all = append(all, told{"waits", start.Sub(began)}) },
				Again: func(come bool) error {
					all = append(all, told{fmt.Sprint("again ", come), time.Since(began)})
					*v = *s.judge(s.Memory.Load(home))
					return tt.wrong
				},
			}
			if tt.pace != nil {
				calls.Pace = func() { all = append(all, told{"pace", time.Since(began)}); to.Pace.Change(*tt.pace) }
			}
			if tt.during != nil {
				go tt.during(s)
			}
			a, err := s.Take(t.Context(), to, v, nil, calls)
			assert.Equal(t, tt.told, all, tt.name)
			if late, ok := tt.err.(*lane.LateError); ok {
				got, ok := errors.AsType[*lane.LateError](err)
				require.True(t, ok, tt.name)
				assert.Equal(t, late.Cause, got.Cause, tt.name)
			} else {
				assert.Equal(t, tt.err, err, tt.name)
			}
			if tt.err == nil {
				assert.Equal(t, tt.took, time.Since(began), tt.name)
				assert.Equal(t, tt.group != nil, a.Ticket.Above() != nil, tt.name)
			}
			state, _ := s.Lanes.State(to.Lane)
			assert.Zero(t, state.Waiting, tt.name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		s, to := newScene(), siteOf(spaced)
		_, err := s.Take(t.Context(), to, s.verdict(delay40), nil, Calls{})
		assert.Error(t, err)
		first, err := s.Take(t.Context(), to, s.verdict(""), nil, Calls{})
		require.NoError(t, err)
		to.Pace.Terms.MaxQueue = 0
		_, err = s.Take(t.Context(), to, s.verdict(""), nil, Calls{})
		assert.Equal(t, lane.Full, err.(*lane.LateError).Cause)
		back, err := s.Take(t.Context(), to, s.verdict(""), first.Ticket, Calls{Waits: func(time.Time) {}})
		require.NoError(t, err, "one that was sent back waits, however many may")
		assert.NotSame(t, first.Ticket, back.Ticket)
	})
}

// A long wait is told, once, and that the requests under way have had no answer.
func TestLongWaitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to, began := newScene(), siteOf(lane.Terms{Slots: 1, MaxQueue: 9}), time.Now()
		var all []any
		tell := func(what string) func(context.Context, origin.Origin, fleet.Key, lane.State) {
			return func(_ context.Context, _ origin.Origin, key fleet.Key, state lane.State) {
				assert.Equal(t, to.Lane, key)
				all = append(all, what, state.Cause, time.Since(began))
			}
		}
		s.TellLong(t.Context(), to.Origin, to.Lane, lane.State{Cause: lane.Gap})
		s.Hooks.Long, s.Hooks.Quiet = tell("long"), tell("quiet")
		s.TellLong(t.Context(), to.Origin, to.Lane, lane.State{Cause: lane.Gap})
		s.TellLong(t.Context(), to.Origin, to.Lane, lane.State{Cause: lane.Gap})
		first, err := s.Take(t.Context(), to, s.verdict(""), nil, Calls{})
		require.NoError(t, err)
		time.AfterFunc(LongWait+second/2, first.Ticket.Done)
		_, err = s.Take(t.Context(), to, s.verdict(""), nil, Calls{Waits: func(time.Time) {}})
		require.NoError(t, err)
		assert.Equal(t, []any{"long", lane.Gap, time.Duration(0), "quiet", lane.Slots, lane.QuietTime, "long", lane.Slots, LongWait}, all)
	})
}

// When the next start of all comes is asked in both lanes: the later one counts.
func TestNextOfAll(t *testing.T) {
	for _, tt := range []struct{ own, above time.Duration }{{10 * second, second}, {second, 10 * second}} {
		synctest.Test(t, func(t *testing.T) {
			s, to, turns := newScene(), siteOf(finds), new(memstore.Turns)
			s.Lanes = fleet.New(1<<20, turns)
			to.Group = &fleet.Group{Lane: fleet.OfGroup("g"), Terms: lane.Terms{Gap: tt.above}}
			for key, gap := range map[fleet.Key]time.Duration{to.Lane: tt.own, to.Group.Lane: tt.above} {
				_, err := turns.Take(t.Context(), key.Name(), store.Ask{Token: "another", Gap: gap, MaxWait: time.Minute})
				require.NoError(t, err)
			}
			assert.InDelta(t, 10, time.Until(s.NextOfAll(t.Context(), to, tt.own)).Seconds(), 0.5, "%+v", tt)
		})
	}
}

// A request for robots.txt takes a turn in the lane above alone. The first has it already.
func TestTurnsOfRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, to, began := newScene(), siteOf(finds), time.Now()
		stopped := func() error { return nil }
		assert.Nil(t, s.GuardRobots(to, nil, stopped).Take)
		assert.Equal(t, began, s.Later(to, began))
		assert.Equal(t, began, s.ComeBack(to, began))
		to.Group = &fleet.Group{Lane: fleet.OfGroup("g"), Terms: lane.Terms{Gap: second}}
		first, err := s.WayOfRobots(to, false).Take(t.Context())
		require.NoError(t, err)
		require.NoError(t, first.Connected(t.Context(), false))
		assert.Equal(t, began.Add(second), s.Later(to, began))
		assert.Equal(t, began.Add(2*second), s.Later(to, began.Add(2*second)))
		take := s.GuardRobots(to, first, stopped).Take
		own, err := take(t.Context())
		require.NoError(t, err)
		assert.Same(t, first, own)
		go func() {
			_, err := s.WayOfRobots(to, false).Take(t.Context())
			assert.NoError(t, err)
			assert.Equal(t, 2*second, time.Since(began), "it came first, and the other goes ahead")
		}()
		synctest.Wait()
		next, err := take(t.Context())
		require.NoError(t, err)
		assert.NotSame(t, first, next)
		assert.Equal(t, second, time.Since(began))
		time.Sleep(second)
		synctest.Wait()
		assert.Zero(t, s.NextOfAll(t.Context(), to, second), "nobody shares the lane")
	})
}

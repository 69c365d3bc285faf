package polite

import (
	"fmt"
	"iter"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/ask"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/store"
)

// A Cache is what Transports share: the turns of requests, and the answers of origins for
// robots.txt. The zero Cache is ready for use. Wrap a client once and share it, or give one
// Cache to several Transports. Then they take turns with each other, and ask each origin
// once between them. Do not make one such Transport the Base of another. A request would
// take two turns, or wait for itself. A Cache is safe for concurrent use. There is
// nothing to close. Do not copy it.
//
// # Turns
//
// Requests in one lane take turns, in the order in which they came. A lane is an origin,
// or what Pace.Key or Options.Key says. [Pace] documents the gap, the limit and the breaks of
// a lane. With Cache.Turns they hold for several processes.
//
// # Answers
//
// An answer is fresh for 24 hours (RFC 9309 §2.4). Cache-Control can make this shorter,
// down to 5 minutes. Before the time is over, the Cache asks again, in the background
// and with a conditional request, so no request has to wait. It asks about once a day,
// and only while requests come. Requests that wait for their turn count, too. If no
// request comes in time, the answer expires after the 24 hours. The next request then
// waits for a new one. A time is over when it is over by the monotonic clock or by the
// time of day. So an answer does not hold for longer because the machine sleeps, or because
// its clock is set back.
//
// If an origin cannot be reached, the rules that are known still apply: they are stale.
// The Cache asks again when a request comes after a minute, then after two minutes, and
// so on, up to an hour. If Retry-After asks for a longer time, the Cache waits for that
// time.
//
// The Cache asks an origin once at a time, even if many requests wait for the answer.
// If all of them are cancelled, the fetch ends. A fetch is slow after 3 seconds. While
// other origins wait, slow fetches may use half of MaxFetches. If there are more slow
// ones, the oldest fails.
type Cache struct {
	// MaxBytes is the most memory that the Cache uses. Equal files count once. If there is too much, the
	// Cache forgets the origins that are asked for least, but keeps at least one. Turns take up to a
	// quarter of MaxBytes, and the text of their keys comes on top. If turns take more, the Cache first
	// forgets those whose gap and break are over. Then it forgets breaks of the domains and networks that
	// have the most breaks, the newest first. So a site with many names does not push out others, however
	// long its breaks are. If there are Turns, the Cache asks them for breaks that it has forgotten. The
	// turns of 256 origins are always kept. Their memory does not count. Zero is 64 MiB.
	MaxBytes int64

	// MaxFetches is the number of robots.txt files that the Cache fetches at the same
	// time. Other fetches wait. Policy.Timeout does not count this waiting. Zero is
	// 100.
	MaxFetches int

	// Store keeps the answers of origins for longer than this process lives, or for several processes.
	// The Cache asks the Store only if it does not know an origin, if it is time to ask the origin again,
	// or if another process may know more. Turns tells of the last, if it is the Store or wraps it (see
	// store.As). If nil, the Cache keeps answers in memory alone. If the Store fails, this process asks
	// the origins by itself, and the Logger tells.
	Store store.Store

	// Turns keeps the turns for longer than this process lives, or for several processes. If nil, the
	// Cache uses Store, if Store implements Turns, too. Otherwise it keeps turns in memory alone. If
	// Turns fails, requests fail with a DelayError.
	Turns store.Turns

	init   sync.Once
	memory *answers.Memory
	lanes  *fleet.Lanes
	desk   *ask.Desk
	dryRun dryRun
}

const (
	defaultMaxBytes   = 64 << 20
	defaultMaxFetches = 100
)

// Stats tells what a Cache keeps now, and what it has done since it was first used.
type Stats struct {
	Origins int   // origins of which something is known
	Files   int   // files that differ from each other
	Bytes   int64 // memory for the origins, the files and the turns

	Hits   uint64 // requests for which an answer was known
	Stale  uint64 // hits whose answer was out of date
	Misses uint64 // requests that waited for an answer

	Recalled    uint64 // answers that came from the Store
	Found       uint64 // fetches that brought a file
	Unchanged   uint64 // fetches that said that the file is unchanged
	Unavailable uint64 // fetches that said that there is no file
	Unreachable uint64 // fetches that failed
	Evictions   uint64 // origins that the Cache forgot to stay within MaxBytes

	// DryRun counts the requests of the Transports with a Policy.DryRun. Exempt requests do not count.
	// All of them were sent.
	DryRun struct {
		Judged      uint64            // requests of which polite knows what would have become of them
		NotJudged   uint64            // requests whose robots.txt had not come, while too many others were waiting for theirs
		Refused     map[Reason]uint64 // of the judged requests, those that polite would have refused; nil if there are none
		Delayed     uint64            // of the judged requests, those that would have waited for their turns
		Wait        time.Duration     // all their waits together
		LongestWait time.Duration     // about how much longer the crawl would have taken, if requests to different sites go on at the same time
	}
}

// Stats returns what c keeps now, and what it has done.
func (c *Cache) Stats() Stats {
	c.init.Do(c.setup)
	s := c.memory.Stats()
	stats := Stats{
		Origins: s.Origins, Files: s.Files, Bytes: s.Bytes, Hits: s.Hits, Stale: s.Stale, Misses: s.Misses, Evictions: s.Evictions,
		Recalled: s.Recalled, Found: s.Found, Unchanged: s.Unchanged, Unavailable: s.Unavailable, Unreachable: s.Unreachable,
	}
	c.dryRun.fill(&stats)
	return stats
}

// A Lane is a lane, as it is at a moment: see [Cache.Lanes].
type Lane struct {
	Key   string // what its requests have in common: the origin, or what Pace.Key, Options.Key or Group.Key says
	Group bool   // it is the lane of a Pace.Group

	Waiting int // requests that wait for their turns
	Sent    int // requests that are under way, without an answer
	Open    int // answers whose bodies are open, where there is a Pace.Concurrency

	Cause Cause     // why the first waiting request was not sent yet; "" if no request waits, or if its turn has come
	Since time.Time // when the oldest request that Cause is about began; zero if Cause is about no request
	Next  time.Time // when the first waiting request can be sent, at the latest; zero if no request waits, if it can be sent now, or if nobody knows

	// Limit is what the site bears. Limit.Gap is the gap that polite keeps, and Limit.Until the end of a
	// break. The Pace, the site or another process may have asked for these two. Limit.Origin is empty if
	// Key is no origin.
	Limit Limit
}

// A Cause says why requests of a [Lane] wait, or why a request could not wait any longer: see [DelayError].
type Cause string

const (
	CauseBreak       Cause = "break"       // until Limit.Until
	CauseTrial       Cause = "trial"       // one request has gone first after a break, and the others wait for its answer
	CauseBodies      Cause = "bodies"      // Pace.Concurrency requests are under way, and the body of the oldest is open: is it closed?
	CauseConcurrency Cause = "concurrency" // Pace.Concurrency requests are under way, and the oldest has no answer
	CauseCeiling     Cause = "ceiling"     // six requests have no answer, and there is no Pace.Concurrency
	CauseWindow      Cause = "window"      // Limit.Window requests have no answer: the site bears no more
	CauseGap         Cause = "gap"         // the gap since the last request is not over
	CauseTurns       Cause = "turns"       // Cache.Turns has reserved a later start, or none yet
	CauseGroup       Cause = "group"       // the turn in the Pace.Group, which is a Lane of its own, has not come

	// Only a DelayError has these. It may also have CauseBreak.
	CauseDeadline   Cause = "deadline"    // its context, the Timeout of its http.Client, or MaxWait ends before the turn, or has ended
	CauseDown       Cause = "down"        // the site is down for more than a minute, and the request has no MaxWait and no deadline: see Backoff
	CauseQueue      Cause = "queue"       // Pace.MaxQueue requests wait already
	CauseCrawlDelay Cause = "crawl-delay" // the site asks for more than Pace.MaxDelay: see Pace.RefuseLonger
	CauseStore      Cause = "store"       // Cache.Turns has failed: nobody knows when the turn comes
	CauseRules      Cause = "rules"       // the rules have changed while the request waited, and its body cannot be read again
)

// causes has the Cause for each of package lane.
var causes = [...]Cause{
	lane.InBreak: CauseBreak, lane.Trial: CauseTrial, lane.Bodies: CauseBodies, lane.Slots: CauseConcurrency,
	lane.Ceiling: CauseCeiling, lane.Window: CauseWindow, lane.Gap: CauseGap, lane.Reserved: CauseTurns, lane.Above: CauseGroup,
	lane.Deadline: CauseDeadline, lane.Down: CauseDown, lane.Full: CauseQueue, lane.TooLong: CauseCrawlDelay, lane.Failed: CauseStore, lane.Changed: CauseRules,
}

// Lanes returns the lanes that c has now, in no order, of all Transports that share c. These are the lanes
// in which requests wait, and the lanes of which c remembers a gap, a break, or what the site bears. A
// request that is alone at its site, and has nothing to wait for, needs no lane. A request that waits for
// robots.txt does not wait for its turn yet.
//
// Each Lane shows the moment in which Lanes yields it. Lanes holds no lock while the loop runs. So the
// loop may take its time and send requests.
func (c *Cache) Lanes() iter.Seq[Lane] {
	return func(yield func(Lane) bool) {
		c.init.Do(c.setup)
		for key, s := range c.lanes.States() {
			if !yield(laneOf(key, s)) {
				return
			}
		}
	}
}

func laneOf(key fleet.Key, s lane.State) Lane {
	l := Lane{
		Key: printable.Text(fleet.Told(key.Name())), Group: key.IsGroup(), Waiting: s.Waiting, Sent: s.Sent, Open: s.Open,
		Cause: causes[s.Cause], Since: s.Since, Next: s.Next, Limit: limitOf(key.Origin(), s.Limit, key.IsGroup()),
	}
	l.Limit.Gap, l.Limit.Until, l.Limit.Asked = s.Gap, s.Break, s.Asked
	return l
}

// Why returns why requests of l wait, in a few words: "2 answers are open, the oldest of a request of
// 2006-01-02T15:04:05Z: are their bodies closed?". Why returns "" if Cause is "".
func (l Lane) Why() (why string) {
	switch l.Cause {
	case CauseBreak:
		why = l.whyBreak()
	case CauseTrial:
		why = "one request goes first after a break, and has had no answer since " + l.Since.Format(time.RFC3339)
	case CauseBodies:
		why = l.unclosed()
	case CauseConcurrency:
		why = l.unanswered() + ": Pace.Concurrency allows no more"
	case CauseCeiling:
		why = l.unanswered() + ": without a Pace.Concurrency, no more are sent"
	case CauseWindow:
		why = l.unanswered() + ": the site bears no more"
	case CauseGap:
		why = fmt.Sprintf("there is a gap of %v between two requests", l.Limit.Gap)
	case CauseTurns:
		why = "Cache.Turns gives the starts before to other requests"
	case CauseGroup:
		why = "its group waits"
	}
	if l.Group && why != "" {
		return "in the group of the site: " + why
	}
	return why
}

func (l Lane) whyBreak() string {
	why := "there is a break"
	if l.Limit.Asked {
		why = "the site has asked for a break"
	} else if l.Limit.Trouble != "" {
		why = strings.TrimSuffix(l.Limit.Trouble.sentence(), ":") + ", and has a break"
	}
	return why + " until " + l.Limit.Until.Format(time.RFC3339)
}

func (l Lane) unclosed() string {
	if l.Open == 1 {
		return fmt.Sprintf("1 answer is open, of a request of %s: is its body closed?", l.Since.Format(time.RFC3339))
	}
	return fmt.Sprintf("%d answers are open, the oldest of a request of %s: are their bodies closed?", l.Open, l.Since.Format(time.RFC3339))
}

func (l Lane) unanswered() string {
	if l.Sent == 1 {
		return "1 request has had no answer since " + l.Since.Format(time.RFC3339)
	}
	return fmt.Sprintf("%d requests have no answer, the oldest since %s", l.Sent, l.Since.Format(time.RFC3339))
}

func (c *Cache) setup() {
	most, fetches, shared := c.MaxBytes, c.MaxFetches, c.Turns
	if most <= 0 {
		most = defaultMaxBytes
	}
	if fetches <= 0 {
		fetches = defaultMaxFetches
	}
	if shared == nil {
		shared, _ = c.Store.(store.Turns)
	}
	c.lanes = fleet.New(most/4, shared)
	c.memory = answers.New(most, c.lanes.Bytes, nil)
	c.desk = ask.NewDesk(c.memory, c.Store, fetches)
	if tellsOf(shared, c.Store) {
		c.lanes.OnNotice(c.notice, c.memory.Miss)
	}
}

// tellsOf reports whether t is s or wraps s, so that the Watch of t tells of the entries in s.
func tellsOf(t store.Turns, s store.Store) bool {
	type both interface {
		store.Turns
		store.Store
	}
	if s == nil || !reflect.TypeOf(s).Comparable() {
		return false
	}
	for range 100 { // one may wrap itself
		found, _ := store.As[both](t)
		if found == s {
			return true
		}
		wrapper, ok := found.(interface{ Unwrap() store.Turns })
		if !ok {
			return false
		}
		t = wrapper.Unwrap()
	}
	return false
}

// notice is called with the key of each entry in the Store that was replaced by another.
func (c *Cache) notice(key string) {
	if o, ok := entry.OriginOf(key); ok {
		c.memory.Notice(o)
	}
}

// countOverdue counts a request that was written too late. Base may hold locks.
func (c *Cache) countOverdue() { c.lanes.CountOverdue() }

// Health returns how c fares with Cache.Turns. If c has no Turns, Health is zero.
func (c *Cache) Health() store.Health {
	c.init.Do(c.setup)
	if !c.lanes.Shared() {
		return store.Health{}
	}
	return c.lanes.Health()
}

// settings returns what all processes that share turns should have in common.
func settings(pace turns.Pace, group *Group, key, sites bool, agents []string) []fleet.Setting {
	longest, terms := "ignored", pace.Terms
	switch {
	case pace.Refuse:
		longest = "refuse beyond " + pace.MaxDelay.String()
	case pace.MaxDelay == math.MaxInt64:
		longest = "all obeyed"
	case pace.MaxDelay != NoDelay:
		longest = pace.MaxDelay.String()
	}
	return []fleet.Setting{
		{Name: "MinDelay", Value: terms.Gap.String()},
		{Name: "MaxDelay", Value: longest},
		{Name: "Concurrency", Value: strconv.Itoa(terms.Slots)},
		{Name: "Key", Value: strconv.FormatBool(key)},
		{Name: "Group", Value: group.text()},
		{Name: "Sites", Value: strconv.FormatBool(sites)},
		{Name: "Agents", Value: strings.ToLower(strings.Join(agents, ","))},
	}
}

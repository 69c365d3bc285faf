// Package limit finds how much a site bears, from its answers alone. It has no clock, no goroutine, no
// lock and no I/O. The caller tells when a request begins and what came of it, and asks when the next
// request may begin.
//
// The window is how many requests may be under way. At a site that is well, it starts at two and grows
// with each good answer. A row of slow answers cuts it. A bad answer begins an incident: a break, then
// one request, whose good answer ends the incident, and whose bad answer doubles the break. After an
// incident there is also a rate, which rises slowly until the site says no again.
//
// All times are durations since a moment that the caller picks once for a Limit.
//
//	limit.go   what is known of a site, and what follows from an answer
//	answer.go  what came of a request
//	window.go  how many requests may be under way
//	rate.go    how many a second, after an incident
//	pause.go   breaks
//	chance.go  refusals that come at any rate, and are no limit
//	parts.go   whose refusals they are: the site's, or those of one section or one URL
//	lesson.go  what processes tell each other
//	constants.go  the numbers by which all of it is tuned, by file
package limit

import (
	"math"
	"time"
)

// A Limit finds what one site bears. The zero Limit is that of a site of which nothing is known. All
// its methods need the lock of the caller.
type Limit struct {
	trouble *trouble // nil until there is a bad or a slow answer
	row     row
	window  window
	count   count
	heard   stamp // the begin of the latest request that was answered
}

// Begin notes that a request begins, which is when it is written. It reports whether the
// request is the one that tries a site after a break.
func (l *Limit) Begin(now time.Duration) (probe bool) {
	now = l.at(now)
	c := l.trouble
	if c == nil {
		l.window.begin(stampOf(now))
		return false
	}
	if c.pause.left(now) > 0 { // It was written before it heard of the break: count it with the requests before.
		c.behind = sum(c.behind, 1)
		return false
	}
	c.pause.fasten(&l.window, now)
	l.window.begin(stampOf(now))
	if !c.pause.on {
		c.rate.spend(max(now-c.last, 0))
	}
	c.last = now
	return c.pause.on
}

// Break keeps a break until a time, of which the caller knows from elsewhere. It reports whether this is new.
// The break counts as asked for by the site, so that nobody gives up over it. If it is not, a Lesson says so.
func (l *Limit) Break(now, until time.Duration) bool {
	now = l.at(now)
	return l.keepBreak(until-now, now, true) > 0
}

// BreakEnd returns when the last break ends, and whether the site has asked for it. It is zero if there
// was none.
func (l *Limit) BreakEnd() (end time.Duration, asked bool) {
	if c := l.trouble; c != nil {
		end, asked = c.pause.end, c.pause.asked
	}
	return end, asked
}

// Slow returns how many requests may be under way after a break, also for a caller that looks for no
// limit. If one may, it is the trial. Zero is any number.
func (l *Limit) Slow() int {
	if l.trouble == nil || !l.trouble.pause.slow {
		return 0
	}
	return l.Window()
}

// Waits returns until when nobody may follow those that have begun slowly after a break, if no answer comes
// before; and when the last of them began. It is zero if one more may begin.
func (l *Limit) Waits(now time.Duration) (until, last time.Duration) {
	if slow := l.Slow(); slow == 0 || int(l.window.under) < slow {
		return 0, 0
	}
	last = now - stampOf(now).since(l.window.last)
	return last + Patience, last
}

// InSlowStart reports whether a request that has begun at a time belongs to the slow start: it began after the
// break.
func (l *Limit) InSlowStart(begun time.Duration) bool {
	return l.Slow() > 0 && begun >= l.trouble.pause.end
}

// Wrote notes that the trial is written: from now on, others wait for its answer.
func (l *Limit) Wrote(now time.Duration) { l.window.last = stampOf(now) }

// Again counts a request that began before the last break, and is written after it, as one of those
// that begin after it.
func (l *Limit) Again(now time.Duration) {
	l.trouble.behind = max(l.trouble.behind, 1) - 1
	l.Begin(now)
}

// Under returns how many requests are under way.
func (l *Limit) Under() int {
	under := int(l.window.under)
	if c := l.trouble; c != nil {
		under += int(c.behind)
	}
	return under
}

// Know notes sections that have answered well, as bits. It is for requests that were alone, which are
// not noted one by one.
func (l *Limit) Know(good uint64) { l.row.good |= good }

// Free reports whether l knows of no gap and no break, so that no time matters.
func (l *Limit) Free() bool { return l.trouble == nil }

// Fits reports whether there is room whatever the time is.
func (l *Limit) Fits() bool { return l.window.under < l.window.limit() }

// Room reports whether one more request may be under way. An answer that does not come
// takes room for a minute.
func (l *Limit) Room(now time.Duration) bool {
	now = l.at(now)
	return l.window.under < l.window.limit() || stampOf(now).since(l.window.last) >= Patience
}

// Opens returns when there is room if no answer comes before. It is now if there is room.
func (l *Limit) Opens(now time.Duration) time.Duration {
	if l.Room(now) {
		return now
	}
	return now + Patience - stampOf(l.at(now)).since(l.window.last)
}

// Next returns when the next request may begin, if there is room. It is never before now.
func (l *Limit) Next(now time.Duration) time.Duration {
	now = l.at(now)
	c := l.trouble
	if c == nil {
		return now
	}
	return max(now+c.pause.left(now), c.last+l.Gap(now))
}

// Window returns how many requests may be under way. It is at least one.
func (l *Limit) Window() int { return int(l.window.limit()) }

// Gap returns the least time between the begins of two requests, or 0.
func (l *Limit) Gap(now time.Duration) time.Duration {
	c := l.trouble
	if c == nil {
		return 0
	}
	gap := c.rate.gap()
	if bound(now) < c.quotaUntil {
		gap = max(gap, c.quotaGap)
	}
	return gap
}

// End notes what came of a request that has begun.
func (l *Limit) End(a Answer) Asks {
	a.Now = l.at(a.Now)
	a.bound()
	if a.Counted {
		l.inTrouble(a.Now).shaken = true
	}
	if a.Taken {
		a.Kind, a.Took = Neutral, 0
	}
	before := l.leave(a.Begun)
	if c := l.trouble; c != nil && c.pause.slow && !before && a.Took > 0 && !a.Kind.isOverload() && !a.Obeys {
		c.pause.slow = false
	}
	if a.Obeys {
		return l.obey(&a, before)
	}
	a.overtaken = !l.heard.before(stampOf(a.Begun))
	asks := l.follow(&a, before)
	if ask := max(a.RetryAfter, a.QuotaBreak); ask > 0 {
		asks.Break = max(asks.Break, l.keepBreak(ask, a.Now, true))
	}
	if a.QuotaGap > 0 {
		c := l.inTrouble(a.Now)
		c.quotaGap, c.quotaUntil = a.QuotaGap, a.Now+a.QuotaLeft
	}
	return asks
}

// Trouble returns what a good answer would end now.
func (l *Limit) Trouble() Trouble {
	return Trouble{l.row, l.trouble != nil && l.trouble.pause.on}
}

// Correct notes that an answer, which End took for good or neutral, is bad: its body has shown that. The
// trouble that it had ended goes on.
func (l *Limit) Correct(a Answer, ended Trouble) (asks Asks) {
	if a.Obeys {
		return asks // nothing was ended, and no Retry-After has come with the body
	}
	a.Now = l.at(a.Now)
	a.bound()
	if a.Counted {
		l.inTrouble(a.Now).shaken = true
	}
	l.row.resume(ended.row)
	c := l.trouble
	before := c != nil && a.Begun < c.pause.end
	if ended.incident && !before {
		c.pause.on = true
	}
	return l.follow(&a, before)
}

// obey follows an answer for a caller that looks for no limit. After a break, one more may be under way
// with each round of good answers.
func (l *Limit) obey(a *Answer, before bool) (asks Asks) {
	slow := l.Slow() > 0 && !before
	if a.RetryAfter > 0 {
		asks.Break = l.keepBreak(a.RetryAfter, a.Now, true)
	}
	switch {
	case !slow:
	case a.Kind.isOverload():
		l.trouble.pause.setback(a.Now)
		l.stop(a.Now)
	case a.Took > 0:
		l.trouble.pause.level = 0
		l.window.addRound(&l.trouble.growth)
	}
	return asks
}

// leave counts that a request is not under way any more. It reports whether the request began
// before the last break.
func (l *Limit) leave(begun time.Duration) (before bool) {
	if c := l.trouble; c != nil && begun < c.pause.end {
		c.behind = max(c.behind, 1) - 1
		return true
	}
	if l.window.under > 0 {
		l.window.under--
	}
	return false
}

func (l *Limit) follow(a *Answer, before bool) (asks Asks) {
	bad, alone := l.judge(a)
	switch {
	case bad && before: // it belongs to the same incident
	case bad:
		asks = l.fail(a, alone)
	case a.Took > 0 && !a.Kind.isBad():
		asks = l.noteGood(a, before)
	}
	asks.Counted = bad && a.Witness != NoWitness
	asks.Taken = asks.Counted && (a.Kind == Refused || a.Kind == Silent || a.together)
	return asks
}

// judge reports whether an answer says that the site has too much to do. alone says that it
// was one section of several.
func (l *Limit) judge(a *Answer) (bad, alone bool) {
	if a.Witness != NoWitness {
		return l.judgeMany(a), false
	}
	switch a.Kind {
	case Refused:
		return true, false
	case Busy, Down:
		l.answered(a)
		if l.blameOwn(a) {
			return false, false
		}
		return l.weighRefusal(a)
	case Silent:
		l.row.silent = min(l.row.silent+1, silentRow)
		return !stampOf(a.Begun).before(l.heard) || l.row.silent >= silentRow, false
	case Broken, Barred, Challenged:
		l.answered(a)
		on := l.trouble != nil && l.trouble.pause.on
		switch {
		case !l.row.counts(a.Section):
			bad = l.row.addStrange(a.Section, l.window.under, a.Kind == Broken)
			return bad || on, on && !bad && l.row.good != 0 // if none was good, nothing is known of sections
		case l.isLimit(a.Kind):
			return l.weighRefusal(a)
		}
		return l.row.add(a.Section, l.window.under) || on, l.row.alone()
	default:
		if a.Took > 0 {
			l.answered(a)
		}
		return false, false
	}
}

// judgeMany reports whether an answer says that many sites together have too much to do.
func (l *Limit) judgeMany(a *Answer) bool {
	c := l.trouble
	switch on := c != nil && c.pause.on; {
	case !a.Kind.isBad():
		if a.Took > 0 {
			l.answered(a)
			l.row.noteGood(a.Section)
		}
		return false
	case a.Kind.isBusy() && l.isMachine(a):
		a.together = true
		return true
	case a.Witness <= Stranger, a.Kind == Busy: // it does not say that nobody can answer
		return false
	case on:
		return true
	default:
		return a.Witness == Well && l.row.add(a.Section, 0) && l.row.spread
	}
}

// isMachine reports whether a refusal of one of many sites is that of the machine behind them.
func (l *Limit) isMachine(a *Answer) bool {
	c := l.inTrouble(a.Now)
	if c.machine == nil {
		c.machine = &machine{well: math.MaxUint64}
	}
	return c.machine.noteRefusal(a.Section, c.rate.base > 0)
}

// Witness returns what a bad answer of the site, which is not noted yet, says of others.
func (l *Limit) Witness() Witness {
	switch c := l.trouble; {
	case l.row.good == 0:
		return Stranger
	case c != nil && c.shaken:
		return Shaken
	case c != nil && (c.pause.on || c.rate.base > 0), !l.row.isWell():
		return Stranger
	default:
		return Well
	}
}

// blameOwn reports whether a section or a target is refused for a reason of its own. Then l forgets what
// these refusals have taught.
func (l *Limit) blameOwn(a *Answer) bool {
	c := l.inTrouble(a.Now)
	section, target := a.blames()
	isOwn, allOwn := c.sections.refused(section, ofSection)
	if !isOwn {
		isOwn, allOwn = c.targets.refused(target, ofTarget)
	}
	if allOwn && !c.rate.isShared() {
		c.rate, c.pause.level, c.growth.soft = rate{}, 0, widestWindow
	}
	return isOwn
}

// isLimit reports whether each answer of a kind is a refusal, also without a row: the rate is known, and
// answers of this kind have lowered it.
func (l *Limit) isLimit(kind Kind) bool {
	c := l.trouble
	return kind.isBusy() || c != nil && !c.pause.on && c.pause.why == kind && (c.rate.base > 0 || c.chance.isUsual())
}

// weighRefusal reports whether a refusal lowers the rate: it may come by chance. alone says that it was one
// section of several.
func (l *Limit) weighRefusal(a *Answer) (bad, alone bool) {
	c := l.inTrouble(a.Now)
	if c.chance == nil {
		c.chance = new(chance)
	}
	if c.chance.isKnown() && l.row.add(a.Section, l.window.under) {
		return true, l.row.alone()
	}
	if c.pause.on || c.rate.isShared() {
		return true, false
	}
	switch was := c.chance.was; {
	case was != nil:
		if !c.chance.try() {
			return false, false
		}
		if c.rate = *was; c.chance.isUsual() { // if this is wrong, little is refused now
			c.rate.set(c.rate.base*(1-c.chance.usual/2), 0)
		}
	case c.chance.takeSpare():
		return false, false
	case c.chance.noteEarly(c.isEarly(stampOf(a.Now))):
		l.tryMore()
		return false, false
	}
	return true, false
}

// tryMore raises a rate that was lowered in vain. If nobody asks for so much, tryMore forgets the rate.
func (l *Limit) tryMore() {
	c := l.trouble
	c.pause.level, c.growth.soft = 0, widestWindow
	if !c.rate.isUsed() {
		c.rate, c.chance.was = rate{}, nil
		return
	}
	was := c.rate
	c.chance.was = &was
	c.rate.set(leap*float32(was.now()), 0)
}

// answered notes that the site has answered.
func (l *Limit) answered(a *Answer) {
	l.row.silent = 0
	if begun := stampOf(a.Begun); l.heard.before(begun) {
		l.heard = begun
	}
}

// fail follows a bad answer: it begins an incident, or doubles its break.
func (l *Limit) fail(a *Answer, alone bool) Asks {
	c := l.inTrouble(a.Now)
	if !alone && !c.pause.on && l.isLimit(a.Kind) && c.rate.payForStray() {
		return Asks{Break: l.keepBreak(c.rate.strayBreak(), a.Now, false)}
	}
	switch {
	case !c.pause.on:
		l.incident(a, alone)
	case !alone && c.chance.explains(c.pause.tries):
		c.pause.tried(a.Now)
	case !alone:
		c.pause.fail(a.Kind, a.Now)
	}
	c.pause.beginBreak(a.longest(alone), a.RetryAfter, a.Now)
	l.stop(a.Now)
	return Asks{Break: c.pause.left(a.Now), Incident: true}
}

func (l *Limit) incident(a *Answer, alone bool) {
	c, sent := l.inTrouble(a.Now), stampOf(a.Now)
	if a.Kind == Silent { // nothing came since, but that was no rate
		sent = stampOf(a.Begun)
	}
	accepted := l.count.perSecond(sent) * c.rate.all() // by all who share the lane
	was := c.past(accepted, a.Now)
	c.pause.begin(a.Kind, c.rate.good, a.Now)
	own := l.own(sent)
	c.begin(own, sent, a.Kind.isBusy() || own > 0)
	c.rateKnown = c.rate.base > 0 && !c.chance.isUsual() && c.rate.good >= wellBefore
	if !alone && a.teaches() {
		section, target := a.blames()
		c.sections.began(section, c.rate.base == 0)
		c.targets.began(target, c.rate.base == 0)
		c.rate.lower(was)
		if c.before.isFall(c.rate.base, sent) {
			c.rate.hurry()
		}
	}
	c.growth.soft = max(l.window.limit()/2, 1)
	c.rate.good = 0
}

// own returns the rate of good answers of this process, on average; 0 if there was none.
func (l *Limit) own(now stamp) float32 {
	switch {
	case l.count.halves > 0:
		return l.trouble.average.now(now)
	case l.row.good != 0 && l.trouble.rate.base == 0: // requests that were alone are not counted
		return aloneRate
	default:
		return 0
	}
}

// stop lets one request go after a break. Those that are under way are not waited for.
func (l *Limit) stop(now time.Duration) {
	l.trouble.behind, l.window.under = sum(l.trouble.behind, l.window.under), 0
	l.trouble.growth.sizeBefore = 0
	l.window.shrink(&l.trouble.growth, 1, stampOf(now))
}

// sum adds numbers of requests. Those that cannot wait may be more than anybody counts.
func sum(a, b uint16) uint16 { return uint16(min(int(a)+int(b), math.MaxUint16)) }

// keepBreak keeps a break, for which the site may have asked. If the break is new, keepBreak returns how long it lasts.
func (l *Limit) keepBreak(ask, now time.Duration, asked bool) time.Duration {
	c := l.inTrouble(now)
	if ask = min(ask, longestBreak); ask <= c.pause.left(now) {
		return 0
	}
	c.pause.extend(ask, now, asked)
	c.growth.soft = max(c.growth.soft, l.window.limit()/2)
	l.stop(now)
	return ask
}

// noteGood follows an answer that says that the site is well. A neutral answer ends no incident.
func (l *Limit) noteGood(a *Answer, before bool) (asks Asks) {
	c, now := l.trouble, stampOf(a.Now)
	if a.Kind == Good {
		l.row.noteGood(a.Section)
		l.count.add(now)
		if c != nil {
			c.average.add(now)
			c.rate.noteGood()
			if c.chance != nil && c.chance.noteGood(l.window.limit()) {
				l.tryMore()
			}
			c.shaken = false
			c.machine.noteGood(a.Section)
			c.sections.noteGood(a.section())
			c.targets.noteGood(a.Target)
			if c.pause.on && !before {
				l.recover(a)
				asks.Over = true
			}
		}
	}
	if a.Witness == NoWitness {
		l.widen(a, before)
	}
	return asks
}

// recover ends an incident.
func (l *Limit) recover(a *Answer) {
	c, now := l.trouble, stampOf(a.Now)
	c.pause.on = false
	l.count.restart(now)
	l.count.add(now)
	if a.Witness == NoWitness && c.pause.isLong(a.Now) && c.wasBan(a.Now) {
		c.rate.afterBan(c.before.all(), c.before.processes(), c.pause.seen())
	}
}

// widen grows the window, and judges it by how long answers take.
func (l *Limit) widen(a *Answer, before bool) {
	var g *growth
	if c := l.trouble; c != nil {
		if g = &c.growth; before || c.pause.on || g.cut && stampOf(a.Begun).before(g.cutAt) {
			return
		}
	}
	w, took := &l.window, millisOf(a.Took)
	slow := false
	if a.Kind == Good {
		alone := g != nil && w.size <= 1 && g.sizeBefore > 0 // those from before a break are not under way
		switch {
		case g == nil:
			w.doubt(took)
		case alone && w.isLong(took): // the site is slow by itself: the window grows back soon
			g.soft, g.sizeBefore = max(g.soft, g.untried), 0
		}
		slow = w.hear(took, a.overtaken, alone)
	}
	w.grow(g, took)
	if c := l.trouble; c != nil && !w.isLate(took) && !c.chance.isKnown() {
		w.size = max(w.size, c.rate.needs(w.base))
	}
	if slow {
		w.cut(&l.inTrouble(a.Now).growth, stampOf(a.Now))
	} else if g != nil && !w.isLong(took) {
		g.sizeBefore = 0
	}
}

// at returns a time that l can compute with. If the clock has gone back, all that l knows goes back
// with it, and one request need not wait for answers to earlier requests.
func (l *Limit) at(now time.Duration) time.Duration {
	now = bound(now)
	c, s := l.trouble, stampOf(now)
	if s.since(l.window.last) < -jump || c != nil && c.last-now > jump {
		l.window.last, l.heard = s-stamp(Patience.Milliseconds()), s
		l.count.restart(s)
	}
	if c != nil {
		c.rewind(now)
	}
	return now
}

// inTrouble returns what is known of a site in trouble, from now on at the latest.
func (l *Limit) inTrouble(now time.Duration) *trouble {
	if l.trouble == nil {
		l.trouble = &trouble{last: now, average: l.count.average(stampOf(now))}
	}
	return l.trouble
}

// trouble is what a Limit knows of a site that had trouble once.
type trouble struct {
	last       time.Duration // when the last request began
	before     *before       // the last incident; nil if there was none
	pause      pause
	rate       rate
	chance     *chance // nil until there is a refusal
	growth     growth
	behind     uint16 // requests under way that began before the last break
	average    average
	rateKnown  bool          // the last incident began while a rate was known, and the site was well
	shaken     bool          // the last bad answer counted for many sites, and no good one has come since
	quotaGap   time.Duration // the gap that a quota asks for
	quotaUntil time.Duration // how long it holds

	machine           *machine // of many sites; nil until one of them is refused
	sections, targets suspects // that may be refused for a reason of their own
}

// wasBan reports whether a long row of refusals was a ban. Only answers tell of one. A site that answers 503
// was down, but for a second long row soon after.
func (c *trouble) wasBan(now time.Duration) bool {
	if c.pause.why != Down {
		return c.pause.why.isBan()
	}
	again := c.rateKnown && c.before.wasDown(stampOf(c.pause.began))
	c.noteDown(now)
	return again
}

// noteDown notes that a long row of 503 is over.
func (c *trouble) noteDown(now time.Duration) { c.before.down = max(stampOf(now), 1) }

// isEarly reports whether the rate is one that was borne before, and all of it is asked for.
func (c *trouble) isEarly(now stamp) bool {
	return c.rate.isEarly() || c.rate.isUsed() && c.before != nil && c.before.isFall(float32(c.rate.now()), now)
}

// begin notes what this process sent before an incident, on average, if it is known.
func (c *trouble) begin(own float32, now stamp, known bool) {
	b := &before{own: own, guess: own * c.rate.all()}
	if c.before != nil {
		b.history = c.before.history
	}
	b.noteRate(b.guess, now, known)
	c.before = b
}

// rewind follows a clock that has gone back.
func (c *trouble) rewind(now time.Duration) {
	if c.pause.from-now > jump {
		c.pause.rewind(now)
	}
	if back := c.last - now; back > jump {
		c.last, c.quotaUntil, c.growth.cutAt = now, c.quotaUntil-back, stampOf(now)
	}
}

// past returns what was before an incident. good is the rate of good answers.
func (c *trouble) past(good float32, now time.Duration) past {
	atOnce := c.rate.sought && c.rate.isShared() && c.pause.end > 0 && now-c.pause.end < atOnceGaps*c.rate.gap()
	return past{good, c.scarce(now), atOnce, c.chance.isUsual()}
}

// scarce returns the seconds since the last break began if it was not the first of several, and
// few answers were good after it. Otherwise it returns 0.
func (c *trouble) scarce(now time.Duration) float32 {
	p := &c.pause
	if p.level == 0 && c.rate.sought || !p.isSoon(c.rate.good, now) {
		return 0
	}
	return float32((now - p.from).Seconds())
}

// A State is what a Limit knows, for people.
type State struct {
	Window   int           // how many requests may be under way
	Cut      bool          // the window was larger once, and is all in use
	Gap      time.Duration // between two begins; 0 if there is none
	Break    time.Duration // how long no request may begin; 0 if there is no break
	Asked    bool          // the site has asked for the break
	Level    int           // how often the break was doubled
	Tries    int           // how many requests after a break were answered badly, in this incident
	Incident bool          // no good answer has come since the last bad one
	Why      Kind          // the last bad answer; Neutral if there was none
}

// State returns what l knows.
func (l *Limit) State(now time.Duration) State {
	s := State{Window: l.Window(), Gap: l.Gap(now)}
	if c := l.trouble; c != nil {
		s.Break, s.Level = c.pause.left(bound(now)), int(c.pause.level)
		s.Asked = s.Break > 0 && c.pause.asked
		s.Cut = c.growth.cut && l.window.full
		s.Incident, s.Why, s.Tries = c.pause.on, c.pause.why, int(c.pause.tries)
	}
	return s
}

// Healthy reports whether l knows of no limit now. Then little is lost if l is forgotten, and good
// answers need not be told one by one. Good answers end a row, and show which target is refused for a
// reason of its own.
func (l *Limit) Healthy(now time.Duration) bool {
	s := l.State(now)
	return l.row.isWell() && !s.Incident && s.Gap == 0 && s.Break == 0 && (l.trouble == nil || l.trouble.sections.isEmpty() && l.trouble.targets.isEmpty())
}

// A stamp is a time in milliseconds. It takes half the room of a time.Duration, and comes
// round after 49 days, so only stamps that are less than 24 days apart can be compared.
type stamp uint32

func stampOf(t time.Duration) stamp { return stamp(uint64(t / time.Millisecond)) }

// since returns how long s is after other. If s is earlier, it is negative.
func (s stamp) since(other stamp) time.Duration {
	return time.Duration(int32(s-other)) * time.Millisecond
}

func (s stamp) before(other stamp) bool { return s.since(other) < 0 }

// to returns the seconds from s to other. If other is earlier, it returns 0.
func (s stamp) to(other stamp) float32 { return float32(max(int32(other-s), 0)) / 1000 }

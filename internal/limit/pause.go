package limit

import (
	"math"
	"time"
)

// A pause is the time in which a site wants no requests. An incident begins with a bad
// answer and ends with a good one. It may have many breaks, each with one request after it.
type pause struct {
	from, end time.Duration // of the break
	began     time.Duration // the incident, or the bad answers of its last kind
	refused   time.Duration // the last of these
	why       Kind
	level     uint8 // each one doubles the break
	tries     uint8 // bad probes
	on        bool  // no good answer has come yet
	asked     bool  // the site has asked for the break
	slow      bool  // requests begin slowly after it: one goes first, the trial
}

// fasten ends the slow start if all is well a while after the break.
func (p *pause) fasten(w *window, now time.Duration) {
	if p.slow && !p.on && p.level == 0 && w.size > 1 && now > p.end+slowFor {
		p.slow = false
	}
}

// setback notes a bad answer in a slow start of a caller that looks for no limit.
func (p *pause) setback(now time.Duration) {
	p.extend(min(firstBreak<<p.level, longestSetback), now, false)
	p.level = min(p.level+1, mostDoublings)
}

// left returns how long the break lasts. A clock that has jumped back makes it no longer.
func (p *pause) left(now time.Duration) time.Duration {
	return min(max(p.end-now, 0), longestBreak)
}

// rewind follows a clock that has gone back behind the begin of the break.
func (p *pause) rewind(now time.Duration) {
	back := p.from - now
	p.from, p.end, p.began, p.refused = now, p.end-back, p.began-back, p.refused-back
}

// begin begins an incident. The search for the rate leads to incidents again and again, so these do not
// make the break much longer. good is how many answers were good since the last.
func (p *pause) begin(why Kind, good uint16, now time.Duration) {
	if p.isSoon(good, now) {
		p.level = min(p.level+1, soonLevel)
	} else {
		p.level = 0
	}
	p.why, p.began, p.refused, p.tries, p.on = why, now, now, 0, true
}

// isSoon reports whether an incident after so many good answers comes soon after the last break.
func (p *pause) isSoon(good uint16, now time.Duration) bool {
	return good < enoughGood && p.end > 0 && now-p.end < calm
}

// learn takes over the incident of another process, or its end. A process that hears of the end has
// perhaps had no bad answer of its own. It learns here what the trouble was.
func (p *pause) learn(on bool, why Kind, level int, now time.Duration) {
	if on && !p.on {
		p.why, p.began, p.tries, p.level = why, now, 0, 0
	}
	if p.on = on; !on {
		return
	}
	p.refused = now
	if higher := uint8(min(max(level, 0), mostDoublings)); higher > p.level {
		p.why, p.level = why, higher
		p.tried(now)
	}
}

// fail notes a bad probe, which makes the next break twice as long as the last one was. A ban, or a silence,
// is not what was wrong before: it is seen from its own first answer on.
func (p *pause) fail(why Kind, now time.Duration) {
	if why != p.why && !(why.isBan() && p.why.isBan()) {
		p.began, p.tries = now, 0
	}
	if firstBreak<<p.level < p.why.longest() {
		p.level = min(p.level+1, mostDoublings)
	}
	p.why = why
	p.tried(now)
}

func (p *pause) tried(now time.Duration) {
	p.tries, p.refused = min(p.tries, math.MaxUint8-1)+1, now
}

// isLong reports whether the incident lasted as long as a ban does.
func (p *pause) isLong(now time.Duration) bool {
	return now-p.began >= bannedFor && p.tries >= bannedProbes
}

// seen returns how long a ban was seen: from its first refusal to its last, since the break after the last
// one is our own.
func (p *pause) seen() time.Duration { return p.refused - p.began }

// beginBreak lets no request begin for the break of this level, and at least for as long as the
// site asked. The break is up to a tenth longer, by chance.
func (p *pause) beginBreak(most, asked, now time.Duration) {
	length := min(firstBreak<<p.level, most)
	if p.why == Silent {
		length = min(length, max((now-p.began)/2, longSilence))
	}
	length += time.Duration(lot(now, length) * float64(length) / 10)
	p.extend(max(length, asked), now, asked > length)
}

// extend begins a break, unless one is on that ends later.
func (p *pause) extend(length, now time.Duration, asked bool) {
	end := now + min(length, longestBreak)
	if end <= p.end {
		return
	}
	if p.left(now) == 0 || end > p.end+Tolerance { // else it is the same break
		p.asked = asked
	}
	p.from, p.end, p.slow = now, end, true
}

// lot returns a number from 0 to 1. It is a hash of times that nobody can foresee to the nanosecond, so
// that this package needs no random numbers.
func lot(a, b time.Duration) float64 {
	x := uint64(a)*0x9e3779b97f4a7c15 ^ uint64(b)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return float64((x^x>>31)>>11) / (1 << 53)
}

// A before is the rate before an incident, as an average. A ban is for what came in a while, so a
// burst is not the rate that it forbids. And it is for what all have sent together, of which each
// process knows only its own part, since there is no gap before a ban.
type before struct {
	own       float32            // what this process has sent
	guess     float32            // what all have, as long as nobody else tells
	others    map[uint32]float32 // by a hash of who has told it; nil if nobody has
	toldLevel uint8              // the level at which the others have heard of own last
	history
}

// A history is what outlives an incident.
type history struct {
	high float32 // good answers a second before the rate fell; 0 if it never has
	fell stamp   // when it fell
	down stamp   // when the last long row of 503 was over; 0 if there was none
}

// wasDown reports whether a long row of 503 was over soon before a time.
func (h *history) wasDown(began stamp) bool {
	return h.down > 0 && began.since(h.down) < soonDown
}

// noteRate notes the rate of good answers before an incident. If a site fails before anything is known of it,
// it may bear any rate.
func (h *history) noteRate(good float32, now stamp, known bool) {
	recent := h.isRecent(now)
	switch {
	case recent && good < h.high/2: // it has not risen again
	case h.high == 0 && !known:
		h.high, h.fell = math.MaxFloat32, now
	case recent:
		h.high, h.fell = max(h.high, good), now
	default:
		h.high, h.fell = good, now
	}
}

func (h *history) isRecent(now stamp) bool { return h.high > 0 && now.since(h.fell) < fallFor }

// isFall reports whether a rate is far below what the site has borne a while ago. Then it is perhaps no limit,
// but trouble, which is over soon.
func (h *history) isFall(rate float32, now stamp) bool { return h.isRecent(now) && rate < h.high/2 }

// hear notes what another process has sent. If this process tells it again, it has not sent more.
func (b *before) hear(teller uint32, rate float32) {
	if _, known := b.others[teller]; rate <= 0 || !known && len(b.others) >= mostParts {
		return
	}
	if b.others == nil {
		b.others = make(map[uint32]float32)
	}
	b.others[teller] = rate
}

// all returns the rate of all.
func (b *before) all() float32 {
	if len(b.others) == 0 {
		return b.guess
	}
	sum := b.own
	for _, rate := range b.others {
		sum += rate
	}
	return sum
}

// processes returns how many have sent something before the incident, as far as is known.
func (b *before) processes() float32 { return float32(1 + len(b.others)) }

// owesLesson reports whether this process has still to tell its part at this level, and the part counts.
func (b *before) owesLesson(level uint8) bool {
	return level >= firstTold && level <= lastTold && b.toldLevel < level && b.own > 0 && mostParts*b.own >= b.all()
}

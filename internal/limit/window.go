package limit

import (
	"math"
	"time"
)

// A window is how many requests may be under way. It grows with good answers. It also
// judges rows of slow answers by the fastest: a slow page makes one answer slow, and a
// queue of ours at the server makes all of them slow.
type window struct {
	last    stamp  // when the last request began
	base    millis // of the fastest answer when there is no queue
	fastest millis // of this row, of those that were not overtaken; 0 if all were
	size    uint16 // 0: none has begun yet
	under   uint16 // how many are under way
	row     uint8  // slow answers without a quick one between them
	slow    uint8  // how many of 255 answers are slow, usually
	late    uint8  // late answers that have counted since a quick one, or since the window grew
	odd     uint8  // answers that were far too quick for the base: anew for each, less the others
	full    bool   // it was full, and has never begun one with less than a quarter of it in use since
}

// A growth is how a window grows after it was cut. The zero growth is that of a window that was never
// cut.
type growth struct {
	cutAt      stamp
	soft       uint16 // up to here it grows with each good answer, and then by one with as many as its size
	credit     uint16 // good answers since it grew
	sizeBefore uint16 // its size when the site became slow; 0 if no trial is on
	timeBefore millis
	untried    uint16 // soft before the trial
	cut        bool
}

func (w *window) limit() uint16 {
	if w.size == 0 {
		return firstWindow
	}
	return w.size
}

func (w *window) begin(now stamp) {
	w.size, w.last = w.limit(), now
	if w.under < widestWindow {
		w.under++
	}
	w.full = w.under >= w.size || w.full && 4*w.under >= w.size
}

// grow notes a good answer, which lets the window grow if it is in use.
func (w *window) grow(g *growth, took millis) {
	step := w.stepFor(took)
	switch {
	case step == 0 || w.size == 0 || w.size >= widestWindow || w.queues() || !w.isUsed():
	case g == nil || !g.cut || w.size < g.soft:
		w.size += step
	default:
		w.addRound(g)
	}
}

// addRound lets the window grow by one with as many answers as its size.
func (w *window) addRound(g *growth) {
	if g.credit++; g.credit >= w.size {
		w.size, g.credit = w.size+1, 0
	}
}

// stepFor returns by how much the window may grow with an answer.
func (w *window) stepFor(took millis) uint16 {
	varied := w.slow > 0
	if w.late++; !w.isLate(took) {
		w.late = 0
	}
	switch {
	case varied && w.late == 0:
		return quickStep
	case varied && w.late > mostLate:
		w.late = mostLate
		return 0
	case !varied && w.late >= latePerStep:
		w.late = 0
	case !varied && w.late > 0:
		return 0
	}
	return 1
}

// isLate reports whether an answer took so long that there may be a queue.
func (w *window) isLate(took millis) bool {
	return w.base > 0 && float64(took) > 1.5*float64(w.base)+slack
}

// isUsed reports whether half of the window is in use, or was all in use a moment ago. If many requests
// are answered at once, all their answers count.
func (w *window) isUsed() bool { return w.full || 2*(w.under+1) >= w.size }

// isLong reports whether an answer took longer than without a queue.
func (w *window) isLong(took millis) bool { return w.base > 0 && took.isFarAbove(w.base) }

// queues reports whether the last answers were slow.
func (w *window) queues() bool { return w.row >= w.enough()/2 }

// hear notes how long an answer took, and whether it was overtaken. It reports whether so many
// were slow that there is a queue, or the site is slower than before.
func (w *window) hear(took millis, overtaken, alone bool) bool {
	switch {
	case w.learnBase(took, alone):
		return false
	case !w.isLong(took):
		w.endRow()
		return false
	}
	w.row = min(w.row, math.MaxUint8-1) + 1
	if w.fastest == 0 && overtaken {
		return false
	}
	if w.fastest == 0 || took < w.fastest {
		w.fastest = took
	}
	return w.row >= w.enough()
}

// learnBase learns the base: a request that is alone has no queue. It reports whether an answer was far too quick for it, and says nothing
// yet: one page in fifty may be quick, and all others slow.
func (w *window) learnBase(took millis, alone bool) bool {
	switch far := w.base.isFarAbove(took); {
	case far && !alone && w.odd < enoughAnew:
		w.odd += anew
		return true
	case far, took < w.base, w.base == 0, alone:
		w.base, w.odd = took, 0
	default:
		w.odd = max(w.odd, 1) - 1
	}
	return false
}

// doubt makes a slow answer among the first the base, if a queue of so few requests cannot be the
// reason. Then the quick answer before it was the exception.
func (w *window) doubt(took millis) {
	const few = firstWindow + 1
	if w.size <= few && int(took) > few*int(w.base)+slack {
		w.base = took
	}
}

// endRow notes a quick answer, and learns how usual slow ones are.
func (w *window) endRow() {
	const keeps = 31.0 / 32
	slow := 1 - (1-float64(w.slow)/math.MaxUint8)*math.Pow(keeps, float64(w.row))
	w.slow = uint8(math.Round(slow * keeps * math.MaxUint8))
	w.row, w.fastest = 0, 0
}

// enough returns how many slow answers in a row are no chance.
func (w *window) enough() uint8 {
	enough := min(max(w.size, fewestSlow), mostSlow)
	if w.slow > 0 {
		rare := math.Log(chanceRow) / math.Log(float64(w.slow)/math.MaxUint8)
		enough = max(enough, uint16(min(rare, longestRow)))
	}
	return uint8(enough)
}

// cut makes the window smaller after a row of slow answers, by half at most. If about a third of the
// window brings no relief, the site is slow for another reason: then the slow time is the new base, and
// the window gets back its size before these cuts.
func (w *window) cut(g *growth, now stamp) {
	switch {
	case g.sizeBefore == 0: // whether a smaller window brings relief
		g.sizeBefore, g.timeBefore, g.untried = w.size, w.fastest, widestWindow
		if g.cut {
			g.untried = g.soft
		}
	case float64(w.fastest) <= relief*float64(g.timeBefore):
		g.sizeBefore, g.timeBefore = w.size, w.fastest // whether still less brings more
	case 3*g.soft <= g.sizeBefore+2 && w.fastest < slowest:
		w.base, w.size, w.late, w.row, w.fastest = w.fastest, g.sizeBefore, 0, 0, 0
		g.sizeBefore, g.soft = 0, g.sizeBefore // if it is a queue after all, the window grows slowly
		return
	}
	part := (2*float32(w.base) + slack) / float32(w.fastest)
	w.shrink(g, max(uint16(float32(w.size)*part), w.size/2, 1), now)
	g.soft = w.size
}

// shrink sets a smaller size. Answers to requests that began before say nothing of this size.
func (w *window) shrink(g *growth, size uint16, now stamp) {
	w.size, w.late, w.row, w.fastest = size, 0, 0, 0
	g.cut, g.cutAt, g.credit = true, now, 0
}

// millis is how long an answer takes, in milliseconds: at least one, and at most a minute.
type millis uint16

func millisOf(t time.Duration) millis {
	return millis(min(max(t, time.Millisecond), time.Minute).Milliseconds())
}

// isFarAbove reports whether m is so much more than a base that a queue may be the reason.
func (m millis) isFarAbove(base millis) bool { return int(m) > 2*int(base)+slack }

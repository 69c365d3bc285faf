package limit

import "math"

const (
	// firstWindow is how many requests may be under way at first. With eight, a site with
	// four slow workers is overloaded for its first quarter of a minute.
	firstWindow = 2

	// widestWindow is more than anybody has under way.
	widestWindow = 30_000

	// fewest and most are how many slow answers in a row are a queue: as many as may be under
	// way, so that each of these is heard once. There are more where many pages are slow:
	// chanceRow is how rare a row is that is no chance.
	fewest, most = 16, 200
	chanceRow    = 1e-6
	longestRow   = 250

	// slack is by how many seconds an answer without a queue may be slower than twice the
	// base.
	slack = 0.05

	// quickStep is by how much the window grows with a quick answer where others are slow anyway.
	quickStep = 3

	// mostLate is how many late answers let the window grow until a quick one comes, where slow
	// ones are usual.
	mostLate = 8

	// latePerStep is how many late answers let it grow by one where they are not. A queue of ours
	// shows a round after it began, so a late answer may be the first of many.
	latePerStep = 4

	// slowest is from how many seconds on an answer is slow, whoever makes it so.
	slowest = 1
)

// A window is how many requests may be under way. It grows with good answers. It also
// judges rows of slow answers by the fastest: a slow page makes one answer slow, and a
// queue of ours at the server makes all of them slow.
type window struct {
	base    float32 // the seconds of the fastest answer when there is no queue
	fastest float32 // of this row
	last    stamp   // when the last request began
	size    uint16  // 0: none has begun yet
	under   uint16  // how many are under way
	row     uint8   // slow answers without a quick one between them
	slow    uint8   // how many of 255 answers are slow, usually
	late    uint8   // late answers that have counted since a quick one, or since the window grew
	full    bool    // it was full, and has never begun one with less than a quarter of it in use since
}

// A growth is how a window grows that was cut. The zero growth is that of a window that
// never was.
type growth struct {
	cutAt     stamp
	soft      uint16 // up to here it grows with each good answer, and then by one with as many as its size
	credit    uint16 // good answers since it grew
	trial     uint16 // its size when the site became slow; 0 if no trial is on
	trialTime float32
	cut       bool
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
func (w *window) grow(g *growth, took float32) {
	step := w.step(took)
	switch {
	case step == 0 || w.size == 0 || w.size >= widestWindow || w.queues() || !w.isUsed():
	case g == nil || !g.cut || w.size < g.soft:
		w.size += step
	default:
		if g.credit++; g.credit >= w.size {
			w.size, g.credit = w.size+1, 0
		}
	}
}

// step returns by how much the window may grow with an answer.
func (w *window) step(took float32) uint16 {
	if w.isLate(took) {
		return w.lateStep()
	}
	w.late = 0
	if w.slow > 0 {
		return quickStep
	}
	return 1
}

// lateStep returns by how much it may grow with a late one.
func (w *window) lateStep() uint16 {
	w.late++
	switch varied := w.slow > 0; {
	case varied && w.late > mostLate:
		w.late = mostLate
		return 0
	case !varied && w.late < latePerStep:
		return 0
	case !varied:
		w.late = 0
	}
	return 1
}

// isLate reports whether an answer took so long that there may be a queue.
func (w *window) isLate(seconds float32) bool { return w.base > 0 && seconds > 1.5*w.base+slack }

// isUsed reports whether half of the window is in use, or all of it was just now. If many requests
// are answered at once, all their answers count.
func (w *window) isUsed() bool { return w.full || 2*(w.under+1) >= w.size }

// isLong reports whether seconds are more than an answer takes without a queue.
func (w *window) isLong(seconds float32) bool { return w.base > 0 && seconds > 2*w.base+slack }

// queues reports whether the last answers were slow.
func (w *window) queues() bool { return w.row >= w.enough()/2 }

// hear notes how long an answer took. It reports whether so many were slow that there is a
// queue, or the site is slower than before.
func (w *window) hear(took float32) bool {
	if w.base == 0 || took < w.base || w.size <= 1 { // one alone has no queue
		w.base = took
	}
	if !w.isLong(took) {
		w.endRow()
		return false
	}
	if w.row == 0 || took < w.fastest {
		w.fastest = took
	}
	w.row++
	return w.row >= w.enough()
}

// admit takes a slow answer to one request alone for what it is: the site is slow, and not we.
// What was cut comes back soon.
func (w *window) admit(g *growth, took float32) {
	if w.size <= 1 && w.isLong(took) {
		g.soft, g.trial = max(g.soft, g.trial/2), 0
	}
}

// endRow notes a quick answer, and learns how usual slow ones are.
func (w *window) endRow() {
	const keeps = 31.0 / 32
	slow := 1 - (1-float64(w.slow)/math.MaxUint8)*math.Pow(keeps, float64(w.row))
	w.slow = uint8(math.Round(slow * keeps * math.MaxUint8))
	w.row = 0
}

// enough returns how many slow answers in a row are no chance.
func (w *window) enough() uint8 {
	enough := min(max(w.size, fewest), most)
	if w.slow > 0 {
		rare := math.Log(chanceRow) / math.Log(float64(w.slow)/math.MaxUint8)
		enough = max(enough, uint16(min(rare, longestRow)))
	}
	return uint8(enough)
}

// cut makes the window smaller after a row of slow answers, by half at most. If a third of the
// window brought no relief, the site is slow for another reason: then that is what it takes
// from now on.
func (w *window) cut(g *growth, now stamp) {
	if g.trial == 0 {
		g.trial, g.trialTime = w.size, w.fastest
	}
	if 3*w.size <= g.trial && w.fastest > 0.7*g.trialTime && w.fastest < slowest {
		w.base, w.size, w.late, w.row = w.fastest, g.trial, 0, 0
		g.trial = 0
		return
	}
	part := (2*w.base + slack) / w.fastest
	w.shrink(g, max(uint16(float32(w.size)*part), w.size/2, 1), now)
	g.soft = w.size
}

// shrink sets a smaller size. Answers to what began before say nothing of it.
func (w *window) shrink(g *growth, size uint16, now stamp) {
	w.size, w.late, w.row = size, 0, 0
	g.cut, g.cutAt, g.credit = true, now, 0
}

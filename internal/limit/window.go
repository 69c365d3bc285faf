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
	fewest, most = 8, 200
	chanceRow    = 1e-6
	longestRow   = 250

	// slack is by how many seconds an answer without a queue may be slower than twice the
	// base.
	slack = 0.05

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
	start   uint16  // its size when this row began
	under   uint16  // how many are under way
	row     uint8   // slow answers without a quick one between them
	slow    uint8   // how many of 255 answers are slow, usually
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
}

// grow notes a good answer. Quick ones let the window grow as fast as they come. Slow ones
// let it grow a little until a quick one comes, so that a queue of ours stays short.
func (w *window) grow(g *growth, took float32) {
	switch {
	case w.size == 0 || w.size >= widestWindow || 2*(w.under+1) < w.size:
		return // it is not in use
	case w.queues() || w.isLong(took) && w.size >= max(w.start, firstWindow)+fewest:
		return
	case g == nil || !g.cut || w.size < g.soft:
		w.size++
	default:
		if g.credit++; g.credit >= w.size {
			w.size, g.credit = w.size+1, 0
		}
	}
}

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
	w.row, w.start = 0, w.size
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
		w.base, w.size, w.start, w.row = w.fastest, g.trial, g.trial, 0
		g.trial = 0
		return
	}
	part := (2*w.base + slack) / w.fastest
	w.shrink(g, max(uint16(float32(w.size)*part), w.size/2, 1), now)
	g.soft = w.size
}

// shrink sets a smaller size. Answers to what began before say nothing of it.
func (w *window) shrink(g *growth, size uint16, now stamp) {
	w.size, w.start, w.row = size, size, 0
	g.cut, g.cutAt, g.credit = true, now, 0
}

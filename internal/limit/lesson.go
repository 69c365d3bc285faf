package limit

import "time"

// A Lesson is what one process tells the others that share a lane. A process that hears a Lesson twice,
// or from two others, learns no more than a process that hears it once.
type Lesson struct {
	Incident bool          // no good answer has come yet
	Why      Kind          // the last bad answer
	Break    time.Duration // how long no request may begin, from now
	Asked    bool          // the site has asked for the break
	Level    int           // how often the break was doubled
	Gap      time.Duration // the learned gap; 0 if there is none
	Before   time.Duration // the gap of what the teller sent before the incident, on average; 0: not known
	Teller   uint32        // a hash of who tells
	Plain    time.Duration // for how long of its active time a lane keeps to about this gap; 0: it may be chance
}

// Lesson returns what to tell the others when an incident begins, goes on or is over.
func (l *Limit) Lesson(now time.Duration) Lesson {
	now = l.at(now)
	c := l.inTrouble(now)
	lesson := Lesson{Incident: c.pause.on, Break: c.pause.left(now), Level: int(c.pause.level)}
	lesson.Why = c.pause.why
	lesson.Asked = lesson.Break > 0 && c.pause.asked
	if c.pause.on && c.before.own > 0 {
		lesson.Before = seconds(min(1/c.before.own, float32(widestGap.Seconds()))) // a longer one may be no time.Duration
	}
	if c.rate.base > 0 {
		lesson.Gap = seconds(1 / c.rate.base)
		if c.rate.sought {
			lesson.Plain = seconds(c.rate.plain)
		}
	}
	return lesson
}

// Learn takes in what another process has learned.
func (l *Limit) Learn(now time.Duration, lesson Lesson) {
	now = l.at(now)
	c := l.inTrouble(now)
	if !lesson.Incident && c.pause.on && c.pause.why == Down && c.pause.isLong(now) {
		c.noteDown(now)
	}
	rest, news := lesson.Break, lesson.Incident && !c.pause.on
	if news {
		rest = max(rest, time.Millisecond) // so that one goes first
		c.begin(l.own(stampOf(now)), stampOf(now), true)
		c.rateKnown = c.rate.base > 0
	}
	if lesson.Incident {
		c.before.hear(lesson.Teller, perSecond(lesson.Before))
	}
	c.pause.learn(lesson.Incident, lesson.Why, lesson.Level, now)
	l.keepBreak(rest, now, lesson.Asked)
	if lesson.Incident && !lesson.Asked && c.pause.left(now) < lesson.Break+Tolerance { // here, too, nobody waits for it for long
		c.pause.asked = false
	}
	if lesson.Gap > 0 {
		c.rate.learn(lesson.rate(), news)
	}
}

// OwesLesson reports whether this process has to tell the others a Lesson of its own, although it has learned
// one from them.
func (l *Limit) OwesLesson() bool {
	c := l.trouble
	return c != nil && c.pause.on && c.before.owesLesson(c.pause.level)
}

// LessonHeard notes that the others have heard the Lesson of this process.
func (l *Limit) LessonHeard() {
	if c := l.trouble; c != nil && c.pause.on {
		c.before.toldLevel = c.pause.level
	}
}

// NoteFleet says how many requests all processes send while this one sends one. So all processes get that
// many times the good answers that l counts.
func (l *Limit) NoteFleet(all float32) {
	if c := l.trouble; c != nil {
		c.rate.noteFleet(all)
	}
}

// rate returns the rate that the lesson tells, within bounds.
func (l *Lesson) rate() (r rate) {
	r.set(perSecond(l.Gap), 0)
	if r.sought = l.Plain > 0; r.sought {
		r.plain = min(max(float32(l.Plain.Seconds()), shortestPlain), longestPlain)
	}
	return r
}

// perSecond returns the rate of a gap, or 0 if there is none.
func perSecond(gap time.Duration) float32 {
	if gap <= 0 {
		return 0
	}
	return float32(1 / gap.Seconds())
}

func seconds(s float32) time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

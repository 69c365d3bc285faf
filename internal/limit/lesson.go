package limit

import "time"

// A Lesson is what one process tells the others that share a lane. Whoever hears it twice,
// or from two, knows no more than who heard it once.
type Lesson struct {
	Incident bool          // no good answer has come yet
	Break    time.Duration // how long no request may begin, from now
	Level    int           // how often the break was doubled
	Gap      time.Duration // the learned gap; 0 if there is none
	Plain    time.Duration // for how long of its active time a lane keeps to about this gap; 0: it may be chance
}

// Lesson returns what to tell the others when an incident begins, goes on or is over. From
// now on, l takes the rate for that of all of them.
func (l *Lane) Lesson(now time.Duration) Lesson {
	now = l.at(now)
	c := l.crowd(now)
	c.rate.shared = true
	lesson := Lesson{Incident: c.pause.on, Break: c.pause.left(now), Level: int(c.pause.level)}
	if c.rate.base > 0 {
		lesson.Gap = min(seconds(1/c.rate.base), widestGap)
		if c.rate.sought {
			lesson.Plain = seconds(c.rate.plain)
		}
	}
	return lesson
}

// Learn takes in what another process has learned.
func (l *Lane) Learn(now time.Duration, lesson Lesson) {
	now = l.at(now)
	c := l.crowd(now)
	c.rate.shared = true
	rest := lesson.Break
	if lesson.Incident && !c.pause.on {
		c.pause.rate = c.before(stampOf(now))
		rest = max(rest, time.Millisecond) // so that one goes first
	}
	c.pause.learn(lesson.Incident, lesson.Level, now)
	l.rest(rest, now)
	if gap := min(lesson.Gap, widestGap); gap > 0 {
		c.rate.learn(float32(1/gap.Seconds()), float32(lesson.Plain.Seconds()))
	}
}

func seconds(s float32) time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

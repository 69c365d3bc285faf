package pace

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// Others share the lanes of a Pacer, and keep its breaks. They may forget them all at once:
// then a new generation begins. The first is 1.

// Share notes that others know of a break of key until a time, as of a generation.
func (p *Pacer[K]) Share(key K, until time.Time, generation int64) {
	l := p.lane(key, p.hash(key), false)
	if l == nil {
		return
	}
	defer l.mu.Unlock()
	if !l.breakEnd.After(until.Add(sharedAbout)) {
		l.shared = generation
	}
}

// A Break is until when no turn of a key begins.
type Break[K comparable] struct {
	Key   K
	Until time.Time
	Known bool // others know of it, but not of what there is to tell beside
}

// Learn takes in what others have learned of what the site of key bears. It reports whether they
// are to hear a Lesson, too: then the break is unshared until Told.
func (p *Pacer[K]) Learn(key K, lesson limit.Lesson) (adds bool) {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	l.learn(lesson)
	return l.bears.limit.Adds()
}

// Told notes that others have heard the Lesson of key.
func (p *Pacer[K]) Told(key K) {
	if l := p.lane(key, p.hash(key), false); l != nil {
		defer l.mu.Unlock()
		l.bears.limit.Told()
	}
}

// learn takes in what another who shares the lane has learned of the site.
func (l *lane) learn(lesson limit.Lesson) {
	now := time.Now()
	l.queue.stale = l.bears.learn(now, lesson) || l.queue.stale
	if lesson.Incident && !lesson.Asked { // the site is down, and here, too, nobody waits for it for long
		l.downEnd = later(l.downEnd, now.Add(lesson.Break))
		l.queue.stale = l.queue.stale || l.isDown(now)
	}
	l.wake()
}

// Lesson returns what others who share the lane of key are to learn. It returns false if nothing
// is known.
func (p *Pacer[K]) Lesson(key K) (lesson limit.Lesson, ok bool) {
	l := p.lane(key, p.hash(key), false)
	if l == nil {
		return lesson, false
	}
	defer l.mu.Unlock()
	if now := time.Now(); !l.bears.isWell(now) {
		return l.bears.lesson(now), true
	}
	return lesson, false
}

// Unshared returns the breaks of which others do not know, or not all, as of a generation.
func (p *Pacer[K]) Unshared(generation int64) (breaks []Break[K]) {
	if p.size.Load() == 0 {
		return nil
	}
	now := time.Now()
	for i := range p.all {
		breaks = append(breaks, p.all[i].unshared(generation, now)...)
	}
	return breaks
}

func (part *part[K]) unshared(generation int64, now time.Time) (breaks []Break[K]) {
	part.mu.RLock()
	defer part.mu.RUnlock()
	for key, l := range part.lanes {
		l.mu.Lock()
		if known := l.shared == generation; l.breakEnd.After(now) && (!known || l.bears.limit.Adds()) {
			breaks = append(breaks, Break[K]{key, l.breakEnd, known})
		}
		l.mu.Unlock()
	}
	return breaks
}

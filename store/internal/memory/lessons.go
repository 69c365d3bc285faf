package memory

import (
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

// Teach lets each Watch tell a lesson of a lane, and keeps it for a while.
func (t *Turns) Teach(name, text string, keep time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := lesson{strings.Clone(text), time.Now().Add(keep)}
	if text == "" || len(text) > store.LongestLesson || l.over() {
		return
	}
	sweep(t.lessons, lesson.over, func(name string, _ lesson) { t.dropLesson(name) })
	t.keepLesson(strings.Clone(name), l)
	t.tellLane(name)
	t.shrink(time.Now())
}

func (t *Turns) keepLesson(name string, l lesson) {
	if t.lessons == nil {
		t.lessons = make(map[string]lesson)
	}
	t.dropLesson(name)
	t.lessons[name] = l
	t.bytes += lessonBytes + int64(len(name)+len(l.text))
}

// lessonOf returns the newest lesson of a lane, or "".
func (t *Turns) lessonOf(name string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.lessons[name]; !l.over() {
		return l.text
	}
	return ""
}

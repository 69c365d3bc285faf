package memory

import (
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

// A lesson is what a process has told of a lane.
type lesson struct {
	text string
	ends time.Time
}

func (l lesson) over() bool { return !l.ends.After(time.Now()) }

// lessonBytes is about what a lesson takes, beside its text and its name.
const lessonBytes = 120

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
	t.news(name)
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

func (t *Turns) dropLesson(name string) {
	if l, ok := t.lessons[name]; ok {
		t.bytes -= lessonBytes + int64(len(name)+len(l.text))
		delete(t.lessons, name)
	}
}

// dropLessons forgets all lessons: they go first, since a lost one does no harm.
func (t *Turns) dropLessons() {
	for name := range t.lessons {
		t.dropLesson(name)
	}
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

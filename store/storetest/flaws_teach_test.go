package storetest_test

import (
	"context"
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

func (s *flawedTurns) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, _ time.Duration) error {
	switch {
	case s.is("teaches and begins no break"):
		wait = 0
	case s.is("teaches and begins a break always"):
		wait = max(wait, time.Minute)
	case s.is("trims lessons"):
		lesson = strings.TrimSpace(lesson)
	}
	if wait > 0 {
		if err := s.Break(ctx, lane, wait); err != nil {
			return err
		}
	}
	if lesson == "" || len(lesson) > store.LongestLesson && !s.is("tells long lessons") {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lessons == nil {
		s.lessons = make(map[string][]string)
	}
	s.lessons[lane] = append(s.lessons[lane], lesson)
	return nil
}

// tellLessons tells the newest lessons of all lanes that have new ones.
func (s *flawedTurns) tellLessons(told *flawedTold, f func(store.Change)) {
	s.mu.Lock()
	var changes []store.Change
	first := told.lessons == nil
	if first {
		told.lessons = make(map[string]int)
	}
	for lane, all := range s.lessons {
		newest := all[len(all)-1]
		if s.is("tells the first lesson") {
			newest = all[0]
		}
		if len(all) > told.lessons[lane] && !(first && s.is("forgets lessons at once")) {
			changes = append(changes, store.Change{Lane: lane, Lesson: newest})
		}
		told.lessons[lane] = len(all)
	}
	s.mu.Unlock()
	for _, c := range changes {
		f(c)
	}
}

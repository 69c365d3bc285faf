package storetest_test

import (
	"context"
	"time"

	"github.com/go-polite/polite/store"
)

// A flawedReport is a Report that is under way.
type flawedReport struct{ profile string }

// Report watches, and tells the Profiles of others every two seconds.
func (s *flawedTurns) Report(ctx context.Context, status func() store.Status, f func(store.Change)) error {
	me := &flawedReport{status().Profile}
	s.mu.Lock()
	s.reports = append(s.reports, me)
	s.mu.Unlock()
	if s.is("reports and does not watch") {
		for ctx.Err() == nil {
			f(store.Change{})
			time.Sleep(time.Second)
		}
		return ctx.Err()
	}
	var last time.Time
	return s.Watch(ctx, func(c store.Change) {
		if f(c); c != (store.Change{}) || time.Since(last) < 2*time.Second {
			return
		}
		if others := s.others(me); len(others) > 0 && !(s.is("tells of a Profile once") && !last.IsZero()) {
			last = time.Now()
			for _, profile := range others {
				f(store.Change{Profile: profile})
			}
		}
	})
}

// others returns the Profiles of other Reports that differ.
func (s *flawedTurns) others(me *flawedReport) (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.reports {
		if other != me && (other.profile != me.profile || s.is("tells of each Profile")) {
			all = append(all, other.profile)
		}
	}
	return all
}

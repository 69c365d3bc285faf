package fleet

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// shares are the ceilings that processes share. A process that has several requests under way at a site says so
// to all, as a lesson in a lane of its own, and again while it has them. All who have said so of late share the
// ceiling of the site. The zero shares are ready.
type shares struct {
	mu     sync.Mutex
	own    map[string]*share // in which lanes this process has said so
	others map[sharer]time.Time
	of     map[string][]string // the others, by lane
}

// A sharer is a process in a lane.
type sharer struct{ lane, process string }

// A share is what this process has said.
type share struct {
	told  time.Time // last
	known bool      // it has heard itself, so it has heard all who came before
}

const (
	shareFor   = time.Minute
	shareAgain = shareFor / 3

	// mostShares is in how many lanes a process takes a share, since all processes hear of it. In further
	// lanes it counts its own requests alone.
	mostShares = 256
	mostHeard  = 100 * mostShares

	// shareLane begins the name of the lane of such a lesson. The process and the lane follow.
	shareLane = "share "

	takes, leaves = "1", "0" // the lessons: a process takes a share, or leaves it
)

// SharesCeilings reports whether processes can tell each other that they share a ceiling.
func (l *Lanes) SharesCeilings() bool { return l.Lanes.WantsShare != nil }

// wantShare says that this process has several requests under way in a lane, if that is due.
func (l *Lanes) wantShare(key Key) {
	name, now := key.Name(), time.Now()
	due, full := l.shares.want(name, now)
	switch {
	case full:
		l.Lanes.Share(key, 1, 0)
		return
	case due && l.tellShare(name, takes) != nil:
		l.shares.drop(name)
	}
	l.divide(key, name)
}

// want notes that a share of a lane is wanted. It reports whether to say so now, or that there are too many.
func (s *shares) want(name string, now time.Time) (due, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.own[name]
	if own == nil {
		if s.tidy(now); len(s.own) >= mostShares {
			return false, true
		}
		if s.own == nil {
			s.own = make(map[string]*share)
		}
		own = new(share)
		s.own[name] = own
	}
	if due = now.Sub(own.told) >= shareAgain; due {
		own.known = own.known && now.Sub(own.told) < shareFor
		own.told = now
	}
	return due, false
}

// tidy forgets what is over. The caller has the lock.
func (s *shares) tidy(now time.Time) {
	for name, own := range s.own {
		if now.Sub(own.told) >= shareFor {
			delete(s.own, name)
		}
	}
	for other, heard := range s.others {
		if now.Sub(heard) >= shareFor {
			s.forget(other)
		}
	}
}

// drop forgets what this process has said of a lane.
func (s *shares) drop(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.own, name)
}

// tellShare tells all that this process takes a share of a lane, or leaves it.
func (l *Lanes) tellShare(name, lesson string) (err error) {
	err = errPanicked
	defer func() { recover() }()
	teacher, _ := store.As[store.Teacher](l.turns) // without one, no share is wanted
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	return teacher.Teach(ctx, shareLane+l.breaks.me+" "+name, 0, lesson, shareFor)
}

// hearShare hears that a process takes a share, or leaves it. It reports whether the change says this.
func (l *Lanes) hearShare(change store.Change) bool {
	rest, ok := strings.CutPrefix(change.Lane, shareLane)
	if !ok || change.Lesson == "" {
		return ok
	}
	process, name, _ := strings.Cut(rest, " ")
	if key, ok := keyNamed(name); ok {
		l.shares.hear(sharer{name, process}, process == l.breaks.me, change.Lesson == leaves)
		l.divide(key, name)
	}
	return true
}

func (s *shares) hear(from sharer, me, leaves bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch _, known := s.others[from]; {
	case me:
		if own := s.own[from.lane]; own != nil && !leaves {
			own.known = true
		}
	case leaves:
		s.forget(from)
	case known:
		s.others[from] = time.Now()
	case len(s.others) < mostHeard:
		if s.others == nil {
			s.others, s.of = make(map[sharer]time.Time), make(map[string][]string)
		}
		from = sharer{strings.Clone(from.lane), strings.Clone(from.process)}
		s.others[from] = time.Now()
		s.of[from.lane] = append(s.of[from.lane], from.process)
	}
}

// forget forgets another process. The caller has the lock.
func (s *shares) forget(other sharer) {
	delete(s.others, other)
	all := s.of[other.lane]
	if all = slices.DeleteFunc(all, func(process string) bool { return process == other.process }); len(all) > 0 {
		s.of[other.lane] = all
	} else {
		delete(s.of, other.lane)
	}
}

// divide divides the ceiling of a lane among those who share it.
func (l *Lanes) divide(key Key, name string) {
	sharers, rank := l.shares.divide(name, l.breaks.me, time.Now())
	l.Lanes.Share(key, sharers, rank)
}

// divide returns how many share a ceiling, and the rank of this process among them; no sharers if the others do
// not know of this process.
func (s *shares) divide(name, me string, now time.Time) (sharers, rank int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.own[name]
	if own == nil || !own.known || now.Sub(own.told) >= shareFor {
		return 0, 0
	}
	sharers = 1
	for _, process := range s.of[name] {
		if now.Sub(s.others[sharer{name, process}]) >= shareFor {
			continue // tidy forgets it
		}
		if sharers++; process < me {
			rank++
		}
	}
	return sharers, rank
}

// leaveShares tells all that this process takes no shares any more. It does not wait.
func (l *Lanes) leaveShares() {
	names := l.shares.leave(time.Now())
	if len(names) == 0 {
		return
	}
	go func() {
		for _, name := range names {
			if l.tellShare(name, leaves) != nil {
				return
			}
		}
	}()
}

// leave drops all shares of this process, and returns the lanes in which others know of it.
func (s *shares) leave(now time.Time) (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, own := range s.own {
		if now.Sub(own.told) < shareFor {
			names = append(names, name)
		}
	}
	clear(s.own)
	return names
}

package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// Lanes is [polite.Turns] in memory: a double for tests, and a model for Turns of your
// own. Its clock is time.Now, so in a testing/synctest bubble no test waits. It has no
// bound: it forgets no lane.
//
// The zero Lanes is ready for use. It is safe for concurrent use. Do not copy it.
type Lanes struct {
	mu     sync.Mutex
	starts map[string]starts
	breaks map[string]time.Time // when they end
	news   chan struct{}        // closed when a break begins
}

// A reservation is a start.
type reservation struct {
	token      string
	at         time.Time
	gap, slack time.Duration
}

// starts are the newest start of a lane, and the one before it: if the newest is given
// back, the other counts again.
type starts struct{ last, before reservation }

// drop gives back the start of token if it is the newest.
func (s *starts) drop(token string) {
	if s.last.token == token {
		s.last = s.before
	}
}

// Take reserves the next start of a lane. See [polite.Turns].
func (l *Lanes) Take(ctx context.Context, lane string, ask polite.Ask) (polite.Grant, error) {
	if err := ctx.Err(); err != nil {
		return polite.Grant{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now, held := time.Now(), l.breaks[lane]
	if ask.Gap <= 0 {
		return polite.Grant{Wait: max(held.Sub(now), 0)}, nil
	}
	s := l.starts[lane]
	s.drop(ask.Token)
	free := s.last.at.Add(s.last.slack).Add(max(s.last.gap, ask.Gap)) // one by one: the sum may be too large
	at := latest(free, held, now.Add(max(ask.NotBefore, 0)))
	wait := at.Sub(now)
	late := ask.MaxWait > 0 && wait > ask.MaxWait
	if !late {
		s.before, s.last = s.last, reservation{ask.Token, at, ask.Gap, max(ask.Slack, 0)}
	}
	if l.starts == nil {
		l.starts = make(map[string]starts)
	}
	l.starts[lane] = s
	return polite.Grant{Wait: wait, Late: late}, nil
}

// Done gives back the start that token has reserved. See [polite.Turns].
func (l *Lanes) Done(ctx context.Context, lane, token string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s, ok := l.starts[lane]; ok {
		s.drop(token)
		l.starts[lane] = s
	}
	return nil
}

// Hold begins a break of a lane. See [polite.Turns].
func (l *Lanes) Hold(ctx context.Context, lane string, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	until := time.Now().Add(wait)
	if wait <= 0 || !until.After(l.breaks[lane]) {
		return nil
	}
	if l.breaks == nil {
		l.breaks = make(map[string]time.Time)
	}
	l.breaks[lane] = until
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
	return nil
}

// Watch calls f for each break. See [polite.Turns].
func (l *Lanes) Watch(ctx context.Context, f func(polite.Change)) error {
	told := make(map[string]time.Time)
	for ctx.Err() == nil {
		changes, news := l.untold(told)
		for _, c := range changes {
			f(c)
		}
		f(polite.Change{})
		select {
		case <-news:
		case <-time.After(time.Second / 2):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// untold returns the breaks that are not told, and a channel that is closed when there
// are more of them.
func (l *Lanes) untold(told map[string]time.Time) ([]polite.Change, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var changes []polite.Change
	for lane, until := range l.breaks {
		left := time.Until(until)
		if left > 0 && !until.Equal(told[lane]) {
			changes = append(changes, polite.Change{Lane: lane, Hold: left})
			told[lane] = until
		}
	}
	if l.news == nil {
		l.news = make(chan struct{})
	}
	return changes, l.news
}

func latest(a time.Time, others ...time.Time) time.Time {
	for _, b := range others {
		if b.After(a) {
			a = b
		}
	}
	return a
}

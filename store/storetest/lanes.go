package storetest

import (
	"context"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// Lanes is [store.Turns] in memory: a double for tests, and a model for Turns of your
// own. Its clock is time.Now, so in a testing/synctest bubble no test waits. It has no
// bound: it forgets no lane.
//
// The zero Lanes is ready for use. It is safe for concurrent use. Do not copy it.
type Lanes struct {
	mu      sync.Mutex
	all     map[string]*lane
	records []string      // the keys of those that were replaced; only a Both has any
	news    chan struct{} // closed when there is something to tell
}

// lane returns the lane of a name.
func (l *Lanes) lane(name string) *lane {
	if l.all == nil {
		l.all = make(map[string]*lane)
	}
	if l.all[name] == nil {
		l.all[name] = newLane()
	}
	return l.all[name]
}

// Take reserves the next start of a lane. See [store.Turns].
func (l *Lanes) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := ctx.Err(); err != nil {
		return store.Grant{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	ask.Gap, ask.Slack = max(ask.Gap, 0), max(ask.Slack, 0)
	return l.lane(lane).take(ask, time.Now()), nil
}

// Done ends what token holds. See [store.Turns].
func (l *Lanes) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lane(lane).done(token, unused)
	return nil
}

// Renew lets slots be taken for longer. See [store.Turns].
func (l *Lanes) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for token, lane := range turns {
		if !l.lane(lane).renew(token, lease, now) {
			lost = append(lost, token)
		}
	}
	return lost, nil
}

// Break begins a break of a lane. See [store.Turns].
func (l *Lanes) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	held, until := l.lane(lane), time.Now().Add(wait)
	if wait <= 0 || !until.After(held.hold) {
		return nil
	}
	held.hold = until
	l.tell()
	return nil
}

// tell wakes who watches. The caller holds the lock.
func (l *Lanes) tell() {
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// replaced tells that the record of a key was replaced by another.
func (l *Lanes) replaced(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, key)
	l.tell()
}

// Watch calls f for each break. See [store.Turns].
func (l *Lanes) Watch(ctx context.Context, f func(store.Change)) error {
	told := told{lanes: make(map[string]time.Time), records: l.replacements()}
	for ctx.Err() == nil {
		changes, news := l.untold(&told)
		for _, c := range changes {
			f(c)
		}
		f(store.Change{})
		select {
		case <-news:
		case <-time.After(time.Second / 2):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// told is what one Watch has told: how long breaks are, and how many records.
type told struct {
	lanes   map[string]time.Time
	records int
}

// replacements returns how many records were replaced.
func (l *Lanes) replacements() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.records)
}

// untold returns what is not told, and a channel that is closed when there is more.
func (l *Lanes) untold(told *told) ([]store.Change, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var changes []store.Change
	for name, lane := range l.all {
		left := time.Until(lane.hold)
		if left > 0 && !lane.hold.Equal(told.lanes[name]) {
			changes = append(changes, store.Change{Lane: name, Break: left})
			told.lanes[name] = lane.hold
		}
	}
	for _, key := range l.records[told.records:] {
		changes = append(changes, store.Change{Key: key})
	}
	told.records = len(l.records)
	if l.news == nil {
		l.news = make(chan struct{})
	}
	return changes, l.news
}

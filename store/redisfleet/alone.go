package redisfleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

// An alone is how this process goes on while the server is away: at a share of the rate,
// with turns of its own. A nil *alone never does.
type alone struct {
	share int // a start in so many of the gaps

	mu    sync.Mutex
	away  bool
	until time.Time // go on alone; then ask the server again
	turns memstore.Turns
}

const (
	// askAgain is how long to go on alone before the server is asked again.
	askAgain = time.Second

	// patience is how long to wait for an answer before the server counts as away. If a
	// caller has less time, this says nothing about the server.
	patience = time.Second

	// mostAlone is how many lanes there may be. A turn in one more fails.
	mostAlone = 1 << 16
)

// learn learns how a call of the server went and how long it took. gone says to go on
// alone, and back that the server is there again.
func (a *alone) learn(err error, took time.Duration) (gone, back bool) {
	if a == nil {
		return false, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hasty := errors.Is(err, context.DeadlineExceeded) && took < patience
	gone = err != nil && away(err) && !hasty
	back = a.away && err == nil
	if gone && !a.away || back {
		a.turns.Clear() // the server has the starts
	}
	if gone {
		a.until = time.Now().Add(askAgain)
	}
	a.away = (a.away || gone) && !back
	return gone, back
}

// take reserves a start if the server is away, and if there is room. The first start in a
// new lane is one gap away: other processes may have started just before. A lane that has
// fewer slots than there are processes has none for each of them: its turns fail.
func (a *alone) take(lane string, ask store.Ask) (grant store.Grant, ok bool) {
	if a == nil {
		return grant, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.away || time.Now().After(a.until) {
		return grant, false
	}
	known := a.turns.Has(lane)
	if !known && a.turns.Len() >= mostAlone && (ask.Gap > 0 || ask.Slots > 0) {
		return grant, false
	}
	ask.Queue = false // nobody tells whose slot is kept
	ask.Gap = min(max(ask.Gap, 0), month) * time.Duration(min(a.share, 1000))
	ask.Slack, ask.Lead, ask.NotBefore = min(ask.Slack, day), min(ask.Lead, day), min(ask.NotBefore, far)
	if ask.Slots > 0 {
		ask.Slots /= a.share
		if ask.Slots == 0 {
			return grant, false
		}
	}
	if !known {
		ask.NotBefore = max(ask.NotBefore, ask.Gap)
	}
	grant, err := a.turns.Take(context.Background(), lane, ask)
	return grant, err == nil
}

func (a *alone) done(lane, token string, unused bool) {
	if a != nil {
		_ = a.turns.Done(context.Background(), lane, token, unused)
	}
}

// renew renews the slots that were taken alone. It returns the tokens of the others, by
// their lanes.
func (a *alone) renew(lease time.Duration, turns map[string]string) map[string][]string {
	var others []string
	if a != nil {
		others, _ = a.turns.Renew(context.Background(), lease, turns)
	} else {
		others = slices.Collect(maps.Keys(turns))
	}
	lanes := make(map[string][]string)
	for _, token := range others {
		lanes[turns[token]] = append(lanes[turns[token]], token)
	}
	return lanes
}

package queue

import (
	"container/heap"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
)

// Each lane of a pile knows its place there, and the first is due before the others.
func TestPlacesInAPile(t *testing.T) {
	var p pile[*lane[int]]
	chance, now := rand.New(rand.NewPCG(1, 2)), time.Now()
	for range 1000 {
		switch chance.IntN(3) {
		case 0, 1:
			heap.Push(&p, &lane[int]{wait: wait{until: now.Add(time.Duration(chance.IntN(100)))}})
		case 2:
			if len(p) > 0 {
				l := heap.Remove(&p, chance.IntN(len(p))).(*lane[int])
				assert.Zero(t, l.place)
			}
		}
		for i, l := range p {
			assert.EqualValues(t, i+1, l.place)
			assert.False(t, l.until.Before(p[0].until))
		}
	}
	assert.Greater(t, len(p), 100)
}

// A lane that is refused again comes a moment later, and later each time. In a fleet, where its turn was to be reserved,
// it comes earlier for the next turn.
func TestMissedTurns(t *testing.T) {
	const ms = time.Millisecond
	now := time.Now()
	for _, tt := range []struct {
		tries    uint8
		turn     time.Duration
		reserves bool
		again    time.Duration
	}{
		{0, 0, false, 0},
		{0, 5 * time.Second, true, 5 * time.Second},
		{1, 0, false, 2 * ms},
		{3, 8 * ms, false, 8 * ms},
		{4, 8 * ms, false, 16 * ms},
		{10, 0, false, 1024 * ms},
		{100, 0, false, 1024 * ms},
		{1, 5 * time.Second, false, 5 * time.Second},
		{1, 5 * time.Second, true, 4980 * ms},
		{25, 5 * time.Second, true, 4500 * ms},
		{26, 5 * time.Second, true, 4500 * ms},
		{2, time.Second, true, time.Second},
		{2, 1001 * ms, true, 961 * ms},
	} {
		l := &lane[int]{tries: tt.tries, patience: time.Hour}
		assert.Equal(t, tt.again, l.missed(now.Add(tt.turn), tt.reserves, now).Sub(now), "%+v", tt)
		assert.Equal(t, min(tt.tries, 100)+1, l.tries)
		patience := time.Duration(0)
		if tt.reserves {
			patience = time.Second
		}
		assert.Equal(t, patience, l.patience)
	}
}

// A lane that waits for an answer is tried at once if one has come since its last try. Others wait for their time.
func TestAnswerThatCameMeanwhile(t *testing.T) {
	for _, awaits := range []bool{true, false} {
		var q Queue[int]
		v := &visit[int]{lane: q.lane("a")}
		minute := time.Now().Add(time.Minute)
		refused := func() time.Time {
			w := wait{until: minute, awaits: awaits}
			assert.True(t, q.waits(v, "a", &w, false))
			return w.until
		}
		assert.Equal(t, minute, refused())
		q.stir(v.lane)
		assert.Equal(t, awaits, refused().Before(minute))
	}
}

// What keeps a lane, as Left and Lanes tell it.
func TestWhyOf(t *testing.T) {
	robots := func(status int, err error) error {
		return &polite.NoRulesError{Decision: polite.Decision{RobotsURL: "http://a.example/robots.txt", Status: status, Err: err}}
	}
	for _, tt := range []struct {
		err   error
		cause polite.Cause
		why   string
	}{
		{&polite.DelayError{Cause: polite.CauseGap, Why: "a gap"}, polite.CauseGap, "a gap"},
		{&polite.DelayError{Cause: polite.CauseDeadline, Why: "a try is short"}, "", "a try is short"},
		{robots(503, nil), "", "http://a.example/robots.txt has answered 503"},
		{robots(0, errors.New("a\x1bb")), "", "http://a.example/robots.txt cannot be had: a\\x1bb"},
		{robots(0, nil), "", "http://a.example/robots.txt cannot be had"},
	} {
		cause, why := why(tt.err)
		assert.Equal(t, [2]string{string(tt.cause), tt.why}, [2]string{string(cause), why})
	}
}

package ask

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// wait waits for an answer until ctx is about to end. If most is not zero, it waits no
// longer than most. The error is a *lane.LateError if the request gives up.
func (a *Asker) wait(ctx context.Context, to *turns.Site, most time.Duration) (*memory.Known, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now := time.Now()
	waiting, leave := within(ctx, now, most)
	defer leave(nil)
	k, err := a.Desk.flights.wait(waiting, to.Origin, func(f *flight) error {
		return enter(f, most, to.Pace.LongestQueue(), leave)
	}, a.asking(to))
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = &impatience{since: now, why: notInTime, cause: orDeadline(err)}
	}
	if why, ok := err.(*impatience); ok {
		return nil, a.giveUp(to, why)
	}
	return k, err
}

const notInTime = "robots.txt has not come in time"

// orDeadline returns err, which ended a context at its deadline, as a
// context.DeadlineExceeded.
func orDeadline(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
}

// within returns a context that ends when a request gives up: after most, if that is not
// zero, and a little before ctx comes to its deadline. An http.Client whose Timeout is over
// would return no more than the text of an error.
func within(ctx context.Context, now time.Time, most time.Duration) (context.Context, context.CancelCauseFunc) {
	ctx, leave := context.WithCancelCause(ctx)
	end, ok := ctx.Deadline()
	early := now.Add(end.Sub(now) - min(end.Sub(now)/20, longestEarly))
	var why impatience
	switch {
	case most > 0 && (!ok || now.Add(most).Before(early)):
		end, why = now.Add(most), impatience{since: now, why: notWithin(most)}
	case ok:
		end, why = early, impatience{since: now, why: notInTime, cause: context.DeadlineExceeded}
	default:
		return ctx, leave
	}
	ctx, stop := context.WithDeadlineCause(ctx, end, &why)
	return ctx, func(cause error) {
		leave(cause)
		stop()
	}
}

// longestEarly is how long before the deadline of its context a request gives up, at most.
const longestEarly = 50 * time.Millisecond

func notWithin(wait time.Duration) string {
	return fmt.Sprintf("robots.txt has not come within %v", wait.Round(time.Millisecond))
}

// enter returns an error if a request must not wait for a flight under way: others have
// waited for longer than most, if that is not zero, or queue others wait behind the request
// for which it began. If it began just now, the request leaves in a moment: a robots.txt
// that comes by then says more than a refusal.
func enter(f *flight, most time.Duration, queue int, leave context.CancelCauseFunc) error {
	old := time.Since(f.began)
	if most > 0 && old >= most {
		return &impatience{since: f.began, why: notWithin(old)}
	}
	if f.waiting <= queue {
		return nil
	}
	crowded := &impatience{since: f.began, why: fmt.Sprintf("%d requests are waiting already for robots.txt", queue)}
	if queue == 0 {
		crowded.why = "robots.txt is being fetched for another request"
	}
	if old >= moment {
		return crowded
	}
	time.AfterFunc(moment-old, func() { leave(crowded) })
	return nil
}

const (
	// moment is the time in which many a robots.txt comes.
	moment = 100 * time.Millisecond

	// firstReturn is when a request that does not wait for robots.txt is to come back, at the
	// earliest.
	firstReturn = time.Second
)

// giveUp returns the error for a request that does not wait for robots.txt any longer. The
// longer it has not come, the later the request is to come back; a fetch is over after the
// Timeout.
func (a *Asker) giveUp(to *turns.Site, why *impatience) error {
	again := max(firstReturn, min(time.Since(why.since), a.Memory.Timeout))
	return &lane.LateError{Turn: a.Taker.ComeBack(to, time.Now().Add(again)), Why: why.why, Err: why.cause, Unknown: true}
}

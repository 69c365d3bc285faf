package ask

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/tries"
	"github.com/go-polite/polite/internal/turns"
	"golang.org/x/sync/singleflight"
)

// flights are the requests for robots.txt that are under way. There is one for an origin. It serves all
// requests that wait for the answer.
type flights struct {
	calls   singleflight.Group
	yielded func() // is called when a flight goes on that nobody waits for

	mu    sync.Mutex
	under map[origin.Origin]*flight
}

// A flight ends when nobody waits for it any more, unless it is a refresh. If the last waiting request
// gives up while the site is being asked, the flight goes on: otherwise nobody would ever learn that
// the site is slow. A flight with a claim goes on, too, since other processes wait for it.
type flight struct {
	ctx     context.Context // it has the flight under inFlight{}
	end     context.CancelCauseFunc
	began   time.Time
	waiting int
	dry     int // of those that wait: requests of dry runs, which were sent already
	refresh bool
	asks    bool // the Store or the site is being asked
	claims  bool // it has the right to fetch for all processes
	yields  bool // nobody waits for it, and it gives way to flights that wait for capacity

	giveWay func(slow bool) bool // ends it if it yields, and reports whether it does
}

type inFlight struct{}

// An impatience is why a request gives up waiting for robots.txt.
type impatience struct {
	since time.Time // when it began to wait, or when the flight began
	why   string
	full  bool  // too many wait already
	cause error // of an end of its context; nil if this goes on
}

func (i *impatience) Error() string { return i.why }

// gaveUp reports whether ctx has ended by an impatience.
func gaveUp(ctx context.Context) bool {
	_, ok := context.Cause(ctx).(*impatience)
	return ok
}

// flightOf returns the flight of ctx.
func flightOf(ctx context.Context) (flying *flight, ok bool) {
	flying, ok = ctx.Value(inFlight{}).(*flight)
	return flying, ok
}

// An ask asks an origin for its robots.txt and returns what is known then. A failed fetch makes a
// Known, too. An error means that there is nothing to keep. ctx has a flight.
type ask func(ctx context.Context) (*answers.Known, error)

var (
	errNobodyWaits = errors.New("nobody waits for robots.txt any more")
	errGaveWay     = errors.New("no answer within 3s, while other sites were waiting to be asked")
	errOwnAnswer   = errors.New("polite: Base waits for the robots.txt that it is to fetch: give it a Cache of its own")
)

// refresh asks o in the background.
func (f *flights) refresh(o origin.Origin, ask ask) {
	f.mu.Lock()
	defer f.mu.Unlock()
	flight, _ := f.join(o, ask)
	flight.refresh = true
	flight.yields = false
}

// wait asks o and waits for the answer, until ctx ends. If others wait for it already,
// wait joins them, unless enter returns an error. dry counts a request of a dry run: 1, or 0 for any other.
func (f *flights) wait(ctx context.Context, o origin.Origin, dry int, enter func(*flight) error, ask ask) (*answers.Known, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	flight, landed, err := f.enter(o, dry, enter, ask)
	if err != nil {
		return nil, err
	}
	return f.await(ctx, o, dry, flight, landed)
}

// await waits for the answer to a flight that the request has entered, until ctx ends.
func (f *flights) await(ctx context.Context, o origin.Origin, dry int, flight *flight, landed <-chan singleflight.Result) (*answers.Known, error) {
	defer f.leave(ctx, o, dry, flight)
	if ctx.Value(inFlight{}) == flight {
		return nil, errOwnAnswer
	}
	select {
	case landed := <-landed:
		k, _ := landed.Val.(*answers.Known)
		return k, landed.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// enter joins the flight for o as one more that waits, unless enter returns an error for the flight
// under way.
func (f *flights) enter(o origin.Origin, dry int, enter func(*flight) error, ask ask) (*flight, <-chan singleflight.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if under := f.under[o]; under != nil {
		if err := enter(under); err != nil {
			return nil, nil, err
		}
	}
	flight, landed := f.join(o, ask)
	flight.waiting++
	flight.dry += dry
	flight.yields = false
	return flight, landed, nil
}

// join returns the flight for o that is under way, or begins one. It is called
// with f.mu locked.
func (f *flights) join(o origin.Origin, ask ask) (*flight, <-chan singleflight.Result) {
	flying := f.under[o]
	if flying == nil {
		flying = &flight{began: time.Now()}
		ctx, end := context.WithCancelCause(context.Background())
		flying.ctx, flying.end = context.WithValue(ctx, inFlight{}, flying), end
		if f.under == nil {
			f.under = make(map[origin.Origin]*flight)
		}
		f.under[o] = flying
		flying.giveWay = func(slow bool) bool { return f.giveWay(o, flying, slow) }
	}
	return flying, f.calls.DoChan(o.Key(), func() (any, error) { return f.run(o, flying, ask) })
}

func (f *flights) run(o origin.Origin, flying *flight, ask ask) (*answers.Known, error) {
	defer f.land(o, flying)
	return guard(func() (*answers.Known, error) { return ask(flying.ctx) })
}

// landed is land for the flight of ctx. The requests that wait for this flight wait until its ask
// returns.
func (f *flights) landed(ctx context.Context, o origin.Origin) {
	if flying, ok := flightOf(ctx); ok {
		f.land(o, flying)
	}
}

// land lets the next request begin another flight.
func (f *flights) land(o origin.Origin, landed *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.forget(o, landed)
	landed.end(nil)
}

// asking notes whether the flight of ctx asks the Store or the site, and does not wait for
// capacity.
func (f *flights) asking(ctx context.Context, asks bool) {
	if flying, ok := flightOf(ctx); ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		flying.asks = asks
	}
}

// claimed notes that the flight of ctx has the right to fetch for all processes.
func (f *flights) claimed(ctx context.Context) {
	if flying, ok := flightOf(ctx); ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		flying.claims = true
	}
}

// giveWay ends a flight for which nobody waits, unless somebody waits by now. If slow, polite remembers
// that the site is slow. giveWay reports whether the flight ends.
func (f *flights) giveWay(o origin.Origin, flying *flight, slow bool) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case !flying.yields:
		return false
	case slow:
		flying.end(errGaveWay)
	default:
		f.abandon(o, flying)
	}
	return true
}

// stop ends the flights that go on although nobody waits for them, or only dry runs do.
func (f *flights) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for o, flying := range f.under {
		if flying.waiting == flying.dry && !flying.refresh {
			f.abandon(o, flying)
		}
	}
}

// abandon ends a flight. Nothing is learnt of it.
func (f *flights) abandon(o origin.Origin, flying *flight) {
	f.forget(o, flying)
	flying.end(errNobodyWaits)
}

// leave is called when a request no longer waits, at the end of ctx or before. If it was the last, the
// flight ends, or goes on without anybody.
func (f *flights) leave(ctx context.Context, o origin.Origin, dry int, flying *flight) {
	if f.goesOn(ctx, o, dry, flying) {
		f.yielded() // without f.mu, as this leads to giveWay
	}
}

func (f *flights) goesOn(ctx context.Context, o origin.Origin, dry int, flying *flight) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	flying.waiting--
	flying.dry -= dry
	if flying.waiting > 0 || flying.refresh {
		return false
	}
	if flying.yields = flying.asks && (flying.claims || gaveUp(ctx)); !flying.yields {
		f.abandon(o, flying)
	}
	return flying.yields
}

func (f *flights) forget(o origin.Origin, flying *flight) {
	if f.under[o] == flying {
		delete(f.under, o)
		f.calls.Forget(o.Key())
	}
}

// guard calls ask, which is in part the user's code. Neither a panic in it nor
// runtime.Goexit harms the requests that wait for the answer.
func guard(ask func() (*answers.Known, error)) (k *answers.Known, err error) {
	err = errors.New("polite: the goroutine that asked for robots.txt was ended by the transport")
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("polite: panic while asking for robots.txt: %s", printable.Text(fmt.Sprint(p)))
			}
		}()
		k, err = ask()
	}()
	<-done
	return k, err
}

// wait waits for an answer until ctx is about to end. If most is not zero, it waits no
// longer than most. The error is a *lane.LateError if the request gives up.
func (a *Asker) wait(ctx context.Context, to *turns.Site, most time.Duration) (*answers.Known, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	now := time.Now()
	waiting, leave := within(ctx, now, most)
	defer leave(nil)
	k, err := a.Desk.flights.wait(waiting, to.Origin, 0, func(f *flight) error {
		return enter(f, most, to.Pace.LongestQueue(), leave)
	}, a.asking(to))
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = &impatience{since: now, why: notInTime, cause: orDeadline(err)}
	}
	if why, ok := err.(*impatience); ok {
		return nil, a.giveUp(ctx, to, why)
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

// within returns a context that ends when a request gives up: after most, unless most is zero, and a
// little before the deadline of ctx. At the deadline, an http.Client with a Timeout would return only
// the text of an error.
func within(ctx context.Context, now time.Time, most time.Duration) (context.Context, context.CancelCauseFunc) {
	ctx, leave := context.WithCancelCause(ctx)
	end, ok := ctx.Deadline()
	early := lane.Early(now, end)
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

func notWithin(wait time.Duration) string {
	return fmt.Sprintf("robots.txt has not come within %v", printable.Duration(wait))
}

// enter returns an error if a request must not wait for a flight under way: because others have waited
// for longer than most, unless most is zero, or because queue others wait behind the request that began
// the flight. If the flight began just now, the request leaves in a moment: a robots.txt that comes by
// then says more than a refusal.
func enter(f *flight, most time.Duration, queue int, leave context.CancelCauseFunc) error {
	old := time.Since(f.began)
	if most > 0 && old >= most {
		return &impatience{since: f.began, why: notWithin(old)}
	}
	if f.waiting <= queue {
		return nil
	}
	crowded := &impatience{since: f.began, full: true, why: fmt.Sprintf("%d requests are waiting already for robots.txt", queue)}
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

// giveUp returns the error for a request that does not wait for robots.txt any longer. The longer
// robots.txt has not come, the later the request is to come back. A fetch is over after the Timeout.
func (a *Asker) giveUp(ctx context.Context, to *turns.Site, why *impatience) error {
	turn := time.Now().Add(max(firstReturn, min(time.Since(why.since), a.Memory.Timeout)))
	if tries.Of(ctx) != nil { // package queue tries one request of a lane at a time, so none has to come behind it
		turn = a.Taker.Later(to, turn)
	} else {
		turn = a.Taker.ComeBack(to, turn)
	}
	late := &lane.LateError{Turn: turn, Cause: lane.Deadline, Why: why.why, Err: why.cause, Unknown: true}
	if why.full {
		late.Cause = lane.Full
	}
	return late
}

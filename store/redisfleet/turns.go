package redisfleet

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// Take reserves the next start of a lane. See [store.Turns].
func (f *Fleet) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := ctx.Err(); err != nil {
		return store.Grant{}, explain("take", err)
	}
	if err := f.fit(ctx); err != nil {
		return store.Grant{}, err
	}
	if grant, ok := f.alone.take(lane, ask); ok {
		return grant, nil
	}
	began := time.Now()
	grant, err := f.take(ctx, lane, ask)
	gone, back := f.alone.learn(err, time.Since(began))
	if gone {
		if grant, ok := f.alone.take(lane, ask); ok {
			return grant, nil
		}
	}
	if back { // others may have gone on alone as well
		f.changed(0)
		return f.take(ctx, lane, ask)
	}
	return grant, err
}

// take asks the server. It asks again if the connection has changed meanwhile. After a change
// it pauses. For slots it reserves nothing then: a start that is so far away would hold up all
// others.
func (f *Fleet) take(ctx context.Context, lane string, ask store.Ask) (grant store.Grant, err error) {
	for range 4 {
		count, wait := f.change.last(pause(ask))
		if wait > 0 && ask.Slots > 0 && f.change.isCut() {
			f.recognise(ctx, count)
			count, wait = f.change.last(pause(ask))
		}
		if ask.Slots > 0 && wait > bounded(ask.Slack)+bounded(ask.Lead) {
			grant, err = f.takeOnce(ctx, lane, store.Ask{}) // is the server there?
			return store.Grant{Wait: max(wait, grant.Wait), Busy: true}, err
		}
		pausing := ask
		pausing.NotBefore = max(ask.NotBefore, wait)
		if grant, err = f.takeOnce(ctx, lane, pausing); err != nil {
			return grant, err
		}
		if now, _ := f.change.last(0, 0); now == count {
			return grant, nil
		}
	}
	return store.Grant{}, errChanged
}

// bounded returns d within the bounds that the server knows.
func bounded(d time.Duration) time.Duration { return min(max(d, 0), day) }

// pause returns how long a turn must wait after a change of the connection, and after a loss of data: others may
// have started or may have slots of which the server knows nothing.
func pause(ask store.Ask) (gap, lease time.Duration) {
	if ask.Slots > 0 {
		lease = min(max(ask.Lease, 0), day)
	}
	return min(max(ask.Gap, ask.Longest, 0), month), lease
}

func (f *Fleet) takeOnce(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	args := asked(lane, ask)
	if ask.Queue = ask.Queue && ask.Slots > 0; ask.Queue {
		args = append(args, f.queue.join(ask.Token), flag(ask.Startless))
	}
	a, err := f.ask(ctx, f.scripts.take, []string{f.keys.lane(lane)}, args...)
	if err != nil {
		f.queue.leave(short(ask.Token))
		return store.Grant{}, err
	}
	kind, told, _ := strings.Cut(a.kind, " ")
	f.handOn(ctx, lane, told)
	first, line := strings.CutPrefix(kind, "line")
	lease, _ := strconv.ParseInt(first, 10, 64)
	queued := line || kind == "far"
	if ask.Queue && !queued {
		f.queue.leave(short(ask.Token))
	}
	return store.Grant{
		Wait: a.wait, Gap: a.gap, Slot: kind == "slot" || kind == "bare", Late: kind == "late", Busy: kind == "busy" || line,
		Queued: queued, Lease: duration(lease), Startless: kind == "bare",
	}, nil
}

// asked returns the arguments of the script. Most turns need only the first two.
func asked(lane string, ask store.Ask) []string {
	start := make([]byte, 0, 22)
	start = bytes(start, ask.Gap, month)
	start = bytes(start, ask.Slack, day)
	start = append(start, short(ask.Token)...)
	args := []string{tagged(lane), string(start)}
	if ask.NotBefore <= 0 && ask.MaxWait <= 0 && ask.Slots <= 0 {
		return args
	}
	return append(args, micros(ask.NotBefore, far), atMost(ask.MaxWait),
		strconv.Itoa(min(max(ask.Slots, 0), mostSlots)), micros(ask.Lease, day), micros(ask.Lead, day))
}

// Done ends what token has. See [store.Turns].
func (f *Fleet) Done(ctx context.Context, lane, token string, unused bool) error {
	f.alone.done(lane, token, unused)
	token = short(token)
	f.queue.leave(token)
	told, err := f.finish(ctx, lane, token, unused)
	f.handOn(ctx, lane, told)
	return err
}

// Break begins a break of a lane. See [store.Turns].
func (f *Fleet) Break(ctx context.Context, lane string, wait time.Duration) error {
	if wait <= 0 && f.client != nil {
		return nil
	}
	length := micros(wait, day)
	_, err := f.run(ctx, f.scripts.breaks, []string{f.keys.lane(lane)}, tagged(lane), length)
	_, untold := f.run(ctx, f.scripts.tell, f.keys.index(), f.pubsub.publish, f.keys.news(), lane, length) // also if it could not be kept
	return cmp.Or(err, untold)
}

// Teach begins a break of a lane, and tells lesson to all processes. See [store.Teacher].
func (f *Fleet) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	err := f.Break(ctx, lane, wait)
	if lesson == "" || len(lesson) > store.LongestLesson || keep <= 0 {
		return err
	}
	keys := []string{f.keys.lessons(), f.keys.index()[1]}
	_, untold := f.run(ctx, f.scripts.teach, keys, f.pubsub.publish, f.keys.news(), lane, spaceless(lesson), micros(keep, day))
	return cmp.Or(err, untold)
}

// Renew lets slots be taken for longer. See [store.Turns]. The calls for all lanes go at the same time, and
// so in one round trip.
func (f *Fleet) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if f.client == nil {
		return nil, errZero
	}
	var calls sync.WaitGroup
	var mu sync.Mutex
	for lane, tokens := range f.alone.renew(lease, turns) {
		names := make(map[string]string, len(tokens)) // the tokens by those of the server
		args := []string{tagged(lane), micros(lease, day)}
		for _, token := range tokens {
			args = append(args, short(token))
			names[short(token)] = token
		}
		calls.Go(func() {
			gone, failed := f.run(ctx, f.scripts.renew, []string{f.keys.lane(lane)}, args...)
			mu.Lock()
			defer mu.Unlock()
			err = cmp.Or(err, failed)
			for _, token := range gone {
				name, _ := token.ToString()
				lost = append(lost, names[name])
			}
		})
	}
	calls.Wait()
	return lost, err
}

// mostSlots is as many slots as a lane can have.
const mostSlots = 100_000

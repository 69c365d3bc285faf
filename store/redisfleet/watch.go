package redisfleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/redis/rueidis"
)

const (
	// beatEvery is how often a Watch checks that it hears.
	beatEvery = 400 * time.Millisecond

	// page is how many breaks are listed at once.
	page = 1000
)

// A watcher is one Watch. The client fills its ear, and Watch empties it.
type watcher struct {
	*Fleet
	beats string // the channel of its own beats
	tell  func(store.Change)
	ear   ear
	fails chan error // the first error of a beat
	hears bool       // all is told

	reporter reporter
}

// Watch calls f for each break, and for each entry that is replaced. See [store.Turns].
func (f *Fleet) Watch(ctx context.Context, tell func(store.Change)) error {
	return f.watch(ctx, nil, tell)
}

// Report watches as Watch does, and tells the other processes how this one is. See
// [store.Reporter].
func (f *Fleet) Report(ctx context.Context, status func() store.Status, tell func(store.Change)) error {
	return f.watch(ctx, status, tell)
}

// watch watches, and tells the status unless it is nil.
func (f *Fleet) watch(ctx context.Context, status func() store.Status, tell func(store.Change)) error {
	if f.isClosed() {
		return errClosed
	}
	unfit := f.fit(ctx) // which operators are to see
	changed, me := f.change.wait(), rand.Text()
	w := &watcher{
		Fleet: f, beats: f.keys.beats(me), tell: tell, ear: newEar(), fails: make(chan error, 1),
		reporter: reporter{status: status, name: f.name},
	}
	if status != nil {
		id := f.roster.join()
		w.reporter.key = f.keys.process(id)
		defer func() {
			if f.roster.leave(id); ctx.Err() != nil { // it is not to be missed
				f.after(func() { f.forget(id) })
			}
		}()
	}
	if err := cmp.Or(w.report(ctx, "0", w.reporter.due(time.Now())), unfit); err != nil { // also if it cannot hear
		return err
	}
	broken, end, err := w.subscribe(ctx)
	defer f.after(end)
	if err != nil {
		return explain("watch", err)
	}
	defer f.queue.hears(me)()
	if err := w.list(ctx); err != nil {
		return err
	}
	if err := w.listLessons(ctx); err != nil {
		return err
	}
	w.send(ctx) // once it hears this beat, it hears all
	return w.listen(ctx, changed, broken)
}

// subscribe returns a channel that gets an error when the subscription breaks, and how to
// end it.
func (w *watcher) subscribe(ctx context.Context) (broken <-chan error, end func(), err error) {
	client, release := w.client.Dedicate()
	end = func() {
		// The client sends a PING to end a subscription, and panics if the server refuses it, as one does
		// that cannot write to its disk.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if _, refused := rueidis.IsRedisErr(client.Do(ctx, client.B().Ping().Build()).Error()); refused {
			client.Close()
		} else {
			release()
		}
	}
	broken = client.SetPubSubHooks(rueidis.PubSubHooks{OnMessage: w.hear, OnSubscription: w.subscribed})
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	err = client.Do(ctx, w.pubsub.to(client.B(), w.keys.news(), w.beats)).Error()
	return broken, end, err
}

func (w *watcher) hear(m rueidis.PubSubMessage) {
	if call, ok := strings.CutPrefix(m.Message, "call "); ok && m.Channel == w.beats {
		if change, ok := w.queue.told(call); ok {
			w.ear.note(change)
		}
	} else if m.Channel == w.beats {
		w.ear.beat(m.Message)
	} else {
		w.ear.hear(m.Message)
	}
}

// subscribed hears that a channel is gone: it has moved to another node.
func (w *watcher) subscribed(s rueidis.PubSubSubscription) {
	if s.Kind == "sunsubscribe" {
		w.fail(errSilent)
	}
}

// fail ends Watch with its first error.
func (w *watcher) fail(err error) {
	select {
	case w.fails <- err:
	default:
	}
}

// listen tells news until it may miss some.
func (w *watcher) listen(ctx context.Context, changed <-chan struct{}, broken <-chan error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ticks := time.NewTicker(beatEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.closed:
			return errClosed
		case <-changed:
			if !w.hears { // or what was reserved before is not void
				w.tell(store.Change{})
			}
			return errChanged
		case err := <-broken:
			w.broken()
			return explain("watch", err)
		case err := <-w.fails:
			return err
		case <-ticks.C:
			if w.ear.isDeaf() {
				w.broken() // it may listen to a server that is no longer the primary
				return errSilent
			}
			w.send(ctx)
		case <-w.ear.news:
			if err := w.empty(); err != nil {
				return w.lostOr(ctx, changed, err)
			}
		}
	}
}

// lostOr returns that data was lost, if this is why news were missed, or else err. It looks
// before Watch returns, so that the next Take knows.
func (w *watcher) lostOr(ctx context.Context, changed <-chan struct{}, err error) error {
	w.beat(ctx, w.beats, "0")
	select {
	case <-changed:
		return errChanged
	default:
		return err
	}
}

// send sends a beat, and does not wait for it.
func (w *watcher) send(ctx context.Context) {
	beat, told := w.ear.next(), w.reporter.due(time.Now())
	w.after(func() {
		ctx, cancel := context.WithTimeout(ctx, deaf)
		defer cancel()
		if err := w.report(ctx, beat, told); err != nil && ctx.Err() == nil {
			w.fail(err)
		}
		w.check(ctx)
	})
}

// forget lets the server forget how a process is, by the ids under which it has told it.
func (f *Fleet) forget(ids ...string) {
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = f.keys.process(id)
	}
	f.client.Do(ctx, f.client.B().Del().Key(keys...).Build())
}

// report sends a beat and what is told, if anything is. It hears of the others.
func (w *watcher) report(ctx context.Context, beat string, told *telling) error {
	profiles, err := w.beatAndTell(ctx, w.beats, beat, told)
	for _, profile := range profiles {
		if profile != told.profile {
			w.ear.differ(profile)
		}
	}
	return err
}

// check ends Watch if the server does not fit any more.
func (w *watcher) check(ctx context.Context) {
	if w.fitness.isDue() {
		w.look(ctx)
	}
	if why := w.fitness.why(); why != nil {
		w.fail(why)
	}
}

// empty tells the news.
func (w *watcher) empty() error {
	heard := w.ear.empty()
	for lane, until := range heard.breaks {
		w.told(lane, time.Until(until))
	}
	for lane, lesson := range heard.lessons {
		w.tell(store.Change{Lane: lane, Break: min(max(time.Until(heard.breaks[lane]), 0), day), Lesson: lesson})
	}
	for change := range heard.others {
		w.tell(change)
	}
	if heard.missed {
		return errMissed
	}
	if heard.beat {
		w.tell(store.Change{})
		if !w.hears {
			w.hears = true
			w.reporter.tellSoon()
		}
	}
	return nil
}

func (w *watcher) told(lane string, left time.Duration) {
	if left > 0 {
		w.tell(store.Change{Lane: lane, Break: min(left, day)})
	}
}

// list tells of the breaks that are under way.
func (w *watcher) list(ctx context.Context) error {
	return w.pages(ctx, w.keys.index(), w.told)
}

// listLessons tells the newest lesson of each lane.
func (w *watcher) listLessons(ctx context.Context) error {
	newest := make(map[string]string)
	err := w.pages(ctx, []string{w.keys.lessons(), w.keys.index()[1]}, func(member string, _ time.Duration) {
		if lane, lesson, ok := lessonOf(member); ok {
			newest[lane] = lesson
		}
	})
	for lane, lesson := range newest {
		w.tell(store.Change{Lane: lane, Lesson: lesson})
	}
	return err
}

// pages calls each with the members of a key and how long they last, the first to end first. It
// asks for a page at a time. A page begins where the one before ends, since members come and go
// meanwhile.
func (w *watcher) pages(ctx context.Context, keys []string, each func(member string, left time.Duration)) error {
	for from, most := int64(0), page; ; {
		end, n, err := w.page(ctx, keys, from, most, each)
		switch {
		case err != nil:
			return err
		case n < most:
			return nil
		case end == from: // all of them end at the same time
			most *= 2
		}
		from = end
	}
}

// page lists one page. It returns when the last of its members ends, and how many they are.
func (w *watcher) page(ctx context.Context, keys []string, from int64, most int, each func(string, time.Duration)) (end int64, n int, err error) {
	reply, err := w.run(ctx, w.scripts.list, keys, strconv.FormatInt(from, 10), strconv.Itoa(most))
	if err != nil || len(reply) < 3 {
		return 0, 0, err
	}
	now, _ := reply[0].AsInt64()
	count, _ := reply[1].AsInt64()
	if from == 0 && keys[0] == w.keys.index()[0] {
		w.ear.upTo(count)
	}
	found, _ := reply[2].ToArray()
	for i := 0; i+1 < len(found); i += 2 {
		member, _ := found[i].ToString()
		until, _ := found[i+1].AsFloat64()
		each(member, duration(int64(until)-now))
		end = int64(until)
	}
	return end, len(found) / 2, nil
}

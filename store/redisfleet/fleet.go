package redisfleet

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// A Fleet is a [store.Store] and [store.Turns] in a server that many processes share.
// [Open] and [New] make one. The methods of the zero Fleet return an error that says so. A
// Fleet is safe for concurrent use.
type Fleet struct {
	client  rueidis.Client
	owned   bool   // Close closes the client
	end     func() // closes all connections, also those that the client makes yet; nil if it is not owned
	keys    keys
	scripts scripts
	pubsub  pubsub
	clock   clock
	change  change
	closed  chan struct{}
	mu      sync.Mutex
	work    sync.WaitGroup // goroutines that end soon after a call; none is added once closed
	alone   *alone         // nil: turns fail when the server is away
	known   atomic.Pointer[generation]
	server  atomic.Value // the identity of the server that was connected last; "": not known
	fitness fitness
	name    string // of this process
	roster  roster
	queue   queue
}

// longestCall is the longest time that a call may take, if its context says nothing
// shorter.
const longestCall = 5 * time.Second

// run runs a script that returns a list.
func (f *Fleet) run(ctx context.Context, s *script, keys []string, args ...string) ([]rueidis.RedisMessage, error) {
	message, err := f.call(ctx, s, keys, func(bool) []string { return args })
	if err != nil {
		return nil, err
	}
	reply, err := message.ToArray()
	return reply, explain(s.name, err)
}

// call runs a script. Scripts may be repeated, so it tries again once if the connection
// breaks.
func (f *Fleet) call(ctx context.Context, s *script, keys []string, args func(repeated bool) []string) (rueidis.RedisMessage, error) {
	if f.client == nil {
		return rueidis.RedisMessage{}, errZero
	}
	if f.isClosed() { // the client may connect again
		return rueidis.RedisMessage{}, errClosed
	}
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > longestCall {
		shorter, cancel := context.WithTimeout(ctx, longestCall)
		defer cancel()
		ctx = shorter
	}
	result := s.lua.Exec(ctx, f.client, keys, args(false))
	if err := result.NonRedisError(); err != nil && ctx.Err() == nil && !f.isClosed() {
		f.broken()
		result = s.lua.Exec(ctx, f.client, keys, args(true))
	}
	message, err := result.ToMessage()
	return message, explain(s.name, err)
}

// ask runs a script whose first argument is when it is void. So if nobody waits for the
// answer any more, it does nothing.
func (f *Fleet) ask(ctx context.Context, s *script, keys []string, args ...string) (answer, error) {
	for range 3 {
		message, err := f.call(ctx, s, keys, func(bool) []string {
			return append([]string{f.clock.after(left(ctx))}, args...)
		})
		if err != nil {
			return answer{}, err
		}
		a, ok := understand(message)
		if !ok {
			break
		}
		f.clock.learn(a.now)
		if a.kind != "void" {
			return a, nil
		}
		if ctx.Err() != nil {
			return answer{}, explain(s.name, ctx.Err())
		}
	}
	return answer{}, explain(s.name, errChanged)
}

// An answer is the reply of a script that may be void.
type answer struct {
	now  int64 // by the server's clock
	kind string
	wait time.Duration          // of a turn
	gap  time.Duration          // the longest of the starts that may delay it
	more []rueidis.RedisMessage // of a claim
}

// understand reads an answer. The answer to a turn is a text, which the server makes
// faster than a list: the time, the wait, the longest gap, and the kind.
func understand(m rueidis.RedisMessage) (a answer, ok bool) {
	if text, err := m.ToString(); err == nil && len(text) >= 3*numberSize {
		return answer{
			now: numberAt(text), wait: duration(numberAt(text[numberSize:])),
			gap: duration(numberAt(text[2*numberSize:])), kind: text[3*numberSize:],
		}, true
	}
	list, err := m.ToArray()
	if err != nil || len(list) < 2 {
		return answer{}, false
	}
	a.now, _ = list[0].AsInt64()
	a.kind, _ = list[1].ToString()
	a.more = list[2:]
	return a, true
}

// left returns how long ctx lasts, if it is no longer than a call.
func left(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return min(time.Until(end), longestCall)
	}
	return longestCall
}

// after does some work after a call. Close waits for it.
func (f *Fleet) after(work func()) {
	f.mu.Lock()
	closed := f.isClosed()
	if !closed {
		f.work.Go(work)
	}
	f.mu.Unlock()
	if closed {
		work()
	}
}

func (f *Fleet) isClosed() bool {
	select {
	case <-f.closed:
		return true
	default:
		return false
	}
}

// changed notes that the server may have lost data, some time ago at the latest.
func (f *Fleet) changed(ago time.Duration) {
	f.clock.forget()
	f.change.note(time.Now().Add(-ago))
}

// cut notes that the connection is lost, or is made again.
func (f *Fleet) cut() {
	f.clock.forget()
	f.change.noteCut()
}

// identity returns what no other server has, and none that has lost data; "" if this is not known: in a cluster, a
// lane may be on any of the nodes.
func (f *Fleet) identity(ctx context.Context) string {
	nodes := f.client.Nodes()
	if len(nodes) != 1 || f.pubsub.subscribe == "SSUBSCRIBE" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	for _, node := range nodes {
		if info, err := facts(ctx, node, "server", "replication"); err == nil && info["run_id"] != "" && info["role"] == "master" {
			return info["run_id"] + " " + info["master_replid"]
		}
	}
	return ""
}

// recognise looks, once after the connection has changed, whether the server is the one of before. If so, it knows
// all slots that are taken, and nobody has to wait until their leases end. count is that of the change.
func (f *Fleet) recognise(ctx context.Context, count int) {
	before, _ := f.server.Load().(string)
	now := f.identity(ctx)
	if now == "" {
		return
	}
	if f.server.Store(now); now != before {
		f.change.note(time.Now()) // it is another one
		return
	}
	if err := f.beat(ctx, f.keys.beats("none"), "0"); err == nil { // it tells if all was flushed
		f.change.same(count)
	}
}

// broken notes that a connection broke, if nothing else notes it.
func (f *Fleet) broken() {
	if !f.owned {
		f.changed(0)
	}
}

// A generation is the time in which no data was lost.
type generation struct {
	id   string
	lost int64 // when data was lost last, by the server's clock; 0: nobody knows of it
	made bool  // this process has found nothing, and made it
}

// beat asks the server to send a beat on a channel. It notes if data was lost.
func (f *Fleet) beat(ctx context.Context, channel, beat string) error {
	_, err := f.beatAndTell(ctx, channel, beat, nil)
	return err
}

// A telling is what a process tells of itself, and the key where the server keeps it.
type telling struct{ key, profile, all string }

// beatAndTell sends a beat, and tells the server how this process is, unless told is nil. Then
// it returns the profiles that processes have told of late.
func (f *Fleet) beatAndTell(ctx context.Context, channel, beat string, told *telling) (profiles []string, err error) {
	known := generation{}
	before := f.known.Load()
	if before != nil {
		known = *before
	}
	proposed := rand.Text()
	keys, args := f.keys.index(), []string{f.pubsub.publish, channel, beat, known.id, proposed, layout}
	if told != nil {
		keys, args = append(keys, f.keys.profiles(), told.key), append(args, told.profile, told.all)
	}
	reply, err := f.run(ctx, f.scripts.beat, keys, args...)
	if err != nil || len(reply) < 4 {
		return nil, err
	}
	if theirs, _ := reply[3].ToString(); theirs != layout {
		other := f.keys.otherLayout(theirs)
		f.fitness.note(&f.fitness.layout, other)
		return nil, other
	}
	if f.fitness.note(&f.fitness.layout, nil) {
		f.changed(0)
	}
	now, _ := reply[0].AsInt64()
	next := generation{}
	next.id, _ = reply[1].ToString()
	next.lost, _ = reply[2].AsInt64()
	next.made = known.id == "" && next.id == proposed
	if next != known && f.known.CompareAndSwap(before, &next) && next.lost > 0 {
		f.changed(duration(now - next.lost))
	}
	if len(reply) > 4 {
		profiles, _ = reply[4].AsStrSlice()
	}
	return profiles, nil
}

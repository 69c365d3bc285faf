package redisfleet

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"
)

// A Viewer reads what a fleet keeps in its server, for those who operate it. It writes
// nothing. [OpenViewer] makes one. It is safe for concurrent use.
type Viewer struct {
	client rueidis.Client
	keys   keys
}

// OpenViewer connects to the server of the fleet that has a prefix. The URL is the same as
// for [Open]. The user needs fewer rights: see the package documentation. Close the Viewer
// after use.
func OpenViewer(url, prefix string) (*Viewer, error) {
	option, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	v := &Viewer{keys: keys{prefix}}
	if err := v.keys.check(); err != nil {
		return nil, err
	}
	option.DisableCache = true
	option.ClientSetInfo = rueidis.DisableClientSetInfo // an operator has no right for it
	if v.client, err = rueidis.NewClient(option); err != nil {
		return nil, explain("connect", err)
	}
	return v, nil
}

// Close closes the connections.
func (v *Viewer) Close() { v.client.Close() }

// Lanes yields the lanes that the server keeps, in no order. The server looks at all its
// keys, but in small steps, between which it serves others. A lane that is written
// meanwhile may come twice.
//
// If a node of a cluster fails, Lanes yields the error, and goes on with the next node.
// When ctx ends, it yields an error and ends.
func (v *Viewer) Lanes(ctx context.Context) iter.Seq2[Lane, error] {
	return each(ctx, v.client, v.keys.lanes(), v.lane)
}

// each reads the values of all keys that match a pattern.
func each[T any](ctx context.Context, client rueidis.Client, pattern string, read func(context.Context, value) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for found, err := range scan(ctx, client, pattern) {
			var one T
			if err == nil {
				one, err = read(ctx, found)
			}
			if !yield(one, err) {
				return
			}
		}
	}
}

func (v *Viewer) lane(ctx context.Context, found value) (Lane, error) {
	if found.damaged {
		return Lane{Key: found.key, Damaged: true}, nil
	}
	text, err := readAll(ctx, v.client, found)
	if err != nil {
		return Lane{}, err
	}
	lane := laneOf(found.key, text, found.now)
	lane.Bytes = found.size
	if !lane.Damaged && v.keys.lane(lane.Name) != found.key {
		lane = Lane{Key: found.key, Bytes: found.size, Damaged: true}
	}
	return lane, nil
}

// Processes yields the processes that have told of late how they are, in the way of Lanes. A
// process tells every four seconds, while requests come and for ten seconds longer. One that ends without
// a word is yielded for a minute, with Silent.
func (v *Viewer) Processes(ctx context.Context) iter.Seq2[Process, error] {
	return each(ctx, v.client, v.keys.processes(), v.process)
}

func (v *Viewer) process(_ context.Context, found value) (Process, error) {
	return processOf(found.key, found.text, found.now), nil
}

// Servers yields the servers that keep the fleet, in no order, and says what is wrong with them.
func (v *Viewer) Servers(ctx context.Context) iter.Seq2[Server, error] {
	return func(yield func(Server, error) bool) {
		for address, node := range v.client.Nodes() {
			info, err := facts(ctx, node, "server", "memory", "replication", "persistence")
			s := Server{Address: address, Trouble: troubleOf(info)}
			if !yield(s, explain("look at "+address, err)) || ctx.Err() != nil {
				return
			}
		}
	}
}

// A Server is one that keeps a fleet, or some of it: see [Viewer.Servers].
type Server struct {
	Address string
	Trouble error // why it takes no turns, and what to do about it; nil: nothing is known to be wrong
}

// Entries yields the entries that the server keeps, and the claims of those who fetch, in
// the way of Lanes.
func (v *Viewer) Entries(ctx context.Context) iter.Seq2[Entry, error] {
	return each(ctx, v.client, v.keys.entries(), v.entry)
}

func (v *Viewer) entry(_ context.Context, found value) (Entry, error) {
	if found.damaged {
		return Entry{Key: found.key, Damaged: true}, nil
	}
	e := entryOf(found.key, found.text, found.size, found.now)
	if v.keys.entry(e.Name) != found.key {
		e.Name = ""
	}
	return e, nil
}

// An Entry is what the server keeps for a key of [store.Store]: an entry, a claim, or both.
// See [Viewer.Entries].
type Entry struct {
	Key   string        // in the server
	Name  string        // the key of store.Store; empty if it is not known, as when there is an entry
	Bytes int           // of the value
	Kept  bool          // there is an entry
	Age   time.Duration // of the entry; negative if the clock was set back since then

	Claim time.Duration // how long yet another may fetch; zero: nobody fetches
	Token string        // of the claim

	Damaged bool // the value makes no sense: it is as good as none
}

// entryHead is the length of the fields before the octets of the entry: see
// scripts/entry.lua.
const entryHead = 101

// entryOf reads the beginning of the text of an entry, as entry.lua does. If there is no
// entry, the name follows.
func entryOf(key, text string, size int, now int64) Entry {
	r := Entry{Key: key, Bytes: size}
	if len(text) < entryHead {
		r.Damaged = true
		return r
	}
	put, ok := digits(text[:16])
	gone, ok1 := digits(text[16:32])
	ends, ok2 := digits(text[58:74])
	if r.Kept = ok && ok1 && gone > now; r.Kept {
		r.Age = duration(now - put)
	}
	if ok2 && ends > now && ends <= now+24*hour+hour {
		r.Claim, r.Token = duration(ends-now), text[74:100]
	}
	if strings.Trim(text[:32], "0") == "" {
		r.Name = text[entryHead:]
	}
	r.Damaged = !(ok && ok1 && ok2)
	return r
}

// digits returns the number that a text is, if it has digits alone.
func digits(text string) (n int64, ok bool) {
	number, err := strconv.ParseUint(text, 10, 63)
	return int64(number), err == nil
}

const (
	// scanned is how many keys the server looks at in one step, and how many values are
	// read in one round trip.
	scanned = 256

	// usual is how much of a value is read at first. Nearly all are shorter.
	usual = 4 << 10
)

// A value is the value of a key. If it is not a text, it is damaged.
type value struct {
	key     string
	text    string // its first bytes
	size    int    // of all of it
	now     int64  // by the clock of its node
	damaged bool
}

// scan yields the values of all keys that match a pattern. If a node fails, it yields an
// error, and goes on with the next one.
func scan(ctx context.Context, client rueidis.Client, pattern string) iter.Seq2[value, error] {
	return func(yield func(value, error) bool) {
		for address, node := range client.Nodes() {
			err := scanNode(ctx, client, node, pattern, yield)
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil && (!yield(value{}, explain("look at "+address, err)) || ctx.Err() != nil) {
				return
			}
		}
	}
}

// errEnough says that nobody wants to know more.
var errEnough = errors.New("redisfleet: enough")

// scanNode yields the values of one node, unless it is a replica.
func scanNode(ctx context.Context, client, node rueidis.Client, pattern string, yield func(value, error) bool) error {
	info, err := facts(ctx, node, "replication")
	if err != nil || info["role"] == "slave" {
		return err
	}
	for cursor := uint64(0); ; {
		step, now, err := scanStep(ctx, node, pattern, cursor)
		if err != nil {
			return err
		}
		for keys := range slices.Chunk(step.Elements, scanned) {
			if err := read(ctx, client, keys, now, yield); err != nil {
				return err
			}
		}
		if cursor = step.Cursor; cursor == 0 {
			return nil
		}
	}
}

// scanStep takes one step of a scan, and tells the time of the node.
func scanStep(ctx context.Context, node rueidis.Client, pattern string, cursor uint64) (step rueidis.ScanEntry, now int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	replies := node.DoMulti(ctx,
		node.B().Scan().Cursor(cursor).Match(pattern).Count(scanned).Build(),
		node.B().Time().Build())
	if step, err = replies[0].AsScanEntry(); err != nil {
		return step, 0, err
	}
	clock, err := replies[1].AsIntSlice()
	if err != nil || len(clock) != 2 {
		return step, 0, err
	}
	return step, clock[0]*1e6 + clock[1], nil
}

// read yields the values of some keys. In a cluster, client knows where a key has moved.
func read(ctx context.Context, client rueidis.Client, keys []string, now int64, yield func(value, error) bool) error {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	var commands rueidis.Commands
	for _, key := range keys {
		commands = append(commands,
			client.B().Getrange().Key(key).Start(0).End(usual-1).Build(),
			client.B().Strlen().Key(key).Build())
	}
	replies := client.DoMulti(ctx, commands...)
	for i, key := range keys {
		v := value{key: key, now: now}
		if err := v.set(replies[2*i], replies[2*i+1]); err != nil {
			return err
		}
		if (v.size > 0 || v.damaged) && !yield(v, nil) { // empty: it is gone by now
			return errEnough
		}
	}
	return nil
}

func (v *value) set(text, size rueidis.RedisResult) (err error) {
	if v.text, err = text.ToString(); said(err, "WRONGTYPE") {
		v.damaged = true
		return nil
	}
	if err != nil {
		return err
	}
	n, err := size.AsInt64()
	v.size = max(int(n), len(v.text))
	return err
}

// readAll returns the whole text of a value that is longer than usual.
func readAll(ctx context.Context, client rueidis.Client, v value) (string, error) {
	if v.size <= len(v.text) {
		return v.text, nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	text, err := client.Do(ctx, client.B().Getrange().Key(v.key).Start(0).End(longestLane-1).Build()).ToString()
	return text, explain("look at a lane", err)
}

// longestLane is longer than any lane: one with mostSlots slots is shorter.
const longestLane = 16 << 20

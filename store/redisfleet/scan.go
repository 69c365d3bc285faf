package redisfleet

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/redis/rueidis"
)

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

package redisfleet

import (
	"context"
	"iter"

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

package redisfleet

import (
	"context"
	"encoding/hex"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-polite/polite/store"
)

// A queue is what a process knows of its tokens that wait for slots.
type queue struct {
	channel atomic.Value // the id of the channel of the newest Watch that hears; "" if none does
	tokens  sync.Map     // by what stands for them
}

// nobody stands for the channel of a process that hears nothing.
var nobody = strings.Repeat("-", 26)

// hears says on which channel this process hears whose slots are kept. Call end when it does not any more.
func (q *queue) hears(id string) (end func()) {
	q.channel.Store(id)
	return func() { q.channel.CompareAndSwap(id, "") }
}

// join returns the channel on which token is told. The token is known before it can be told.
func (q *queue) join(token string) (channel string) {
	q.tokens.Store(short(token), token)
	if id, _ := q.channel.Load().(string); id != "" {
		return id
	}
	return nobody
}

// leave forgets a token, by what stands for it.
func (q *queue) leave(token string) { q.tokens.Delete(token) }

// told returns the change that a message is about: the digits of what stands for a token, and its lane.
func (q *queue) told(message string) (c store.Change, ok bool) {
	digits, name, _ := strings.Cut(message, " ")
	token, _ := hex.DecodeString(digits)
	known, waits := q.tokens.Load(string(token))
	if c.Lane, ok = untagged(name); ok && waits {
		c.Token = known.(string)
	}
	return c, c.Token != ""
}

// handOn tells processes of a cluster that slots of a lane are kept for tokens: each has the id of a channel, and what
// stands for the token. If nobody hears it, the slot is that of the next.
func (f *Fleet) handOn(ctx context.Context, lane, told string) {
	const size = 26 + tokenSize
	for ; len(told) >= size; told = told[size:] {
		channel, token := f.keys.beats(told[:size-tokenSize]), told[size-tokenSize:size]
		message := "call " + hex.EncodeToString([]byte(token)) + " " + tagged(lane)
		heard, err := f.client.Do(ctx, f.client.B().Spublish().Channel(channel).Message(message).Build()).AsInt64()
		if err == nil && heard == 0 {
			next, _ := f.finish(ctx, lane, token, false)
			told += next
		}
	}
}

// finish ends what a token has. It returns what to tell.
func (f *Fleet) finish(ctx context.Context, lane, token string, unused bool) (told string, err error) {
	reply, err := f.run(ctx, f.scripts.done, []string{f.keys.lane(lane)}, tagged(lane), token, flag(unused))
	if err == nil && len(reply) > 1 {
		told, _ = reply[1].ToString()
	}
	return told, err
}

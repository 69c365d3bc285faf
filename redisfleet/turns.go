package redisfleet

import (
	"context"
	"time"

	"github.com/redis/rueidis"

	"github.com/go-polite/polite"
)

// Take reserves the next start of a lane. See [polite.Turns].
func (f *Fleet) Take(ctx context.Context, lane string, ask polite.Ask) (polite.Grant, error) {
	if err := ctx.Err(); err != nil {
		return polite.Grant{}, explain("take", err)
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

// take asks the server. It asks again if the connection has changed meanwhile: then the
// start comes no sooner than a gap after the change.
func (f *Fleet) take(ctx context.Context, lane string, ask polite.Ask) (grant polite.Grant, err error) {
	for range 4 {
		count, wait := f.change.last(pause(ask))
		pausing := ask
		pausing.NotBefore = max(ask.NotBefore, wait)
		if grant, err = f.takeOnce(ctx, lane, pausing); err != nil {
			return grant, err
		}
		if now, _ := f.change.last(0); now == count {
			return grant, nil
		}
	}
	return polite.Grant{}, errChanged
}

// pause returns how long after a loss of data a turn must wait: others may have started
// or may hold slots of which the server knows nothing.
func pause(ask polite.Ask) time.Duration {
	switch {
	case ask.Slots > 0:
		return min(max(ask.Gap, ask.Lease), day)
	default:
		return min(max(ask.Gap, 0), day)
	}
}

func (f *Fleet) takeOnce(ctx context.Context, lane string, ask polite.Ask) (polite.Grant, error) {
	kind, reply, err := f.ask(ctx, f.scripts.take, []string{f.keys.lane(lane)}, lane, fixed(ask.Token),
		padded(ask.Gap), padded(ask.Slack), micros(time.Duration(min(max(ask.Slots, 0), mostSlots))*time.Microsecond, always),
		micros(ask.Lease, day), micros(ask.NotBefore, week), atMost(ask.MaxWait))
	if err != nil || len(reply) < 2 {
		return polite.Grant{}, err
	}
	wait, _ := reply[0].AsInt64()
	slot, _ := reply[1].AsInt64()
	return polite.Grant{Wait: max(duration(wait), 0), Slot: slot == 1, Late: kind == "late", Busy: kind == "busy"}, nil
}

// Done ends what token holds. See [polite.Turns].
func (f *Fleet) Done(ctx context.Context, lane, token string, unused bool) error {
	f.alone.done(lane, token)
	_, err := f.run(ctx, f.scripts.done, []string{f.keys.lane(lane)}, func(bool) []string {
		return []string{lane, fixed(token), flag(unused)}
	})
	return err
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// Hold begins a break of a lane. See [polite.Turns].
func (f *Fleet) Hold(ctx context.Context, lane string, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	length := micros(wait, day)
	_, err := f.run(ctx, f.scripts.hold, []string{f.keys.lane(lane)}, func(bool) []string {
		return []string{lane, length}
	})
	if err != nil {
		return err
	}
	_, err = f.run(ctx, f.scripts.tell, f.keys.index(), func(bool) []string {
		return []string{f.keys.news(), lane, length}
	})
	return err
}

// Renew lets slots be taken for longer. See [polite.Turns].
func (f *Fleet) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	lanes := f.alone.renew(lease, turns)
	names := make(map[string]string, len(turns)) // the tokens by those of the server
	calls := make([]rueidis.LuaExec, 0, len(lanes))
	for lane, tokens := range lanes {
		args := []string{lane, micros(lease, day)}
		for _, token := range tokens {
			args = append(args, fixed(token))
			names[fixed(token)] = token
		}
		calls = append(calls, rueidis.LuaExec{Keys: []string{f.keys.lane(lane)}, Args: args})
	}
	for _, result := range f.scripts.renew.each(ctx, f.client, calls) {
		gone, e := result.AsStrSlice()
		if e != nil {
			err = explain("renew", e)
		}
		for _, token := range gone {
			lost = append(lost, names[token])
		}
	}
	return lost, err
}

// mostSlots is as many slots as a lane can have.
const mostSlots = 100_000

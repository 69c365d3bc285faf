package redisfleet_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	mini "github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"
)

// A double is a server in this process. Its clock can be set, and goes on.
type double struct {
	*miniredis.Miniredis
	began time.Time // with the monotonic clock, so that nobody sets the time between
	ahead atomic.Int64
	says  atomic.Pointer[says]
}

// says is what a server answers to a command.
type says struct{ command, reply, failure string }

func startDouble(t testing.TB) *double {
	d := &double{Miniredis: miniredis.NewMiniRedis(), began: time.Now()}
	require.NoError(t, d.Start())
	t.Cleanup(d.Close)
	d.Server().SetPreHook(func(c *mini.Peer, command string, args ...string) bool {
		if says := d.says.Load(); says != nil && says.command == command {
			if says.failure != "" {
				c.WriteError(says.failure)
			} else {
				c.WriteBulk(says.reply)
			}
			return true
		}
		if command != "TIME" {
			return false
		}
		now := d.began.Add(time.Since(d.began) + time.Duration(d.ahead.Load())).UnixMicro()
		c.WriteLen(2)
		c.WriteBulk(strconv.FormatInt(now/1e6, 10))
		c.WriteBulk(strconv.FormatInt(now%1e6, 10))
		return true
	})
	return d
}

func (d *double) url() string { return "redis://" + d.Addr() }

// step sets the clock, but nothing expires.
func (d *double) step(by time.Duration) { d.ahead.Add(int64(by)) }

// pass lets time pass.
func (d *double) pass(by time.Duration) {
	d.step(by)
	d.FastForward(by)
}

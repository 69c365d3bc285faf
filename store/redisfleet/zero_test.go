package redisfleet_test

import (
	"testing"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
)

func TestZeroFleet(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	f := new(redisfleet.Fleet)
	for name, call := range map[string]func() error{
		"Take":         func() error { _, err := f.Take(ctx, lane, gapOf("a")); return err },
		"Done":         func() error { return f.Done(ctx, lane, "a", true) },
		"Renew":        func() error { _, err := f.Renew(ctx, lease, map[string]string{"a": lane}); return err },
		"Break":        func() error { return f.Break(ctx, lane, gap) },
		"Break of 0 s": func() error { return f.Break(ctx, lane, 0) },
		"Watch":        func() error { return f.Watch(ctx, func(store.Change) {}) },
		"Claim":        func() error { _, err := f.Claim(ctx, "key", "", gap); return err },
		"Put":          func() error { return f.Put(ctx, "key", "token", nil, gap) },
	} {
		assert.ErrorContains(t, call(), "open one with Open or New", name)
	}
	f.Close()
	f.Close()
	assert.ErrorContains(t, f.Break(ctx, lane, gap), "open one with Open or New")
}

package agent_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Busy are turns that are told late, as those in a file are that many runs share.
type busy struct{ store.Turns }

func (b busy) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	select {
	case <-time.After(4 * time.Second):
	case <-ctx.Done():
		return store.Grant{}, context.Cause(ctx)
	}
	return store.Grant{Wait: time.Second, Busy: true}, nil // others were first
}

// Watch ends at once, so that polite stops listening.
func (busy) Watch(context.Context, func(store.Change)) error { return store.ErrClosed }

// However long the store of the turns takes, a call learns in time that its turn has not come.
func TestWaitForStore(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/x", html("<p>hello"))
		began := time.Now()
		text, refused := d.fetch("https://a.example/x")
		require.NotNil(d, refused, text)
		assert.Equal(d, "delayed", refused.Why)
		assert.Less(d, time.Since(began), 23*time.Second)
		assert.Empty(d, d.web.Log().Pages())
	}, func(o *agent.Options) {
		o.Model.Polite.Cache.Turns = busy{new(memstore.Turns)}
	})
}

// A page that comes slowly, once it was asked for, is not late.
func TestSlowPageIsNotLate(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/x", origintest.Delay(40*time.Second, html("<p>hello")))
		text, refused := d.fetch("https://a.example/x")
		require.Nil(d, refused)
		assert.Contains(d, text, "hello")
	})
}

package cachefile

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sharedFile(t *testing.T, name string) *shared {
	s, err := share(name, boltstore.Options{Wait: time.Second})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// folder returns a folder whose name is short enough for a socket.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("", "share")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Who owns the file, and who is a guest of another, keeps to the contract of a Store.
func TestIsStore(t *testing.T) {
	t.Parallel()
	for name, guest := range map[string]bool{"owner": false, "guest": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.TestStore(t, storetest.Engine[*shared]{Open: func(t *testing.T) *shared {
				file := filepath.Join(folder(t), "f")
				if guest {
					sharedFile(t, file)
				}
				return sharedFile(t, file)
			}})
		})
	}
}

func ask(token string, gap time.Duration) store.Ask { return store.Ask{Token: token, Gap: gap} }

// All who share a file have one row of starts, one break, and the same slots.
func TestShared(t *testing.T) {
	file := filepath.Join(folder(t), "f")
	stores := []*shared{sharedFile(t, file), sharedFile(t, file), sharedFile(t, file)}
	ctx := t.Context()
	for i, s := range stores {
		grant, err := s.Take(ctx, "lane", ask(string(rune('a'+i)), time.Hour))
		require.NoError(t, err)
		assert.InDelta(t, time.Duration(i)*time.Hour, grant.Wait, float64(time.Minute))
	}
	require.NoError(t, stores[2].Break(ctx, "other", time.Hour))
	grant, err := stores[1].Take(ctx, "other", store.Ask{})
	require.NoError(t, err)
	assert.InDelta(t, time.Hour, grant.Wait, float64(time.Minute))

	slot := store.Ask{Token: "x", Slots: 1, Lease: time.Minute}
	grant, err = stores[1].Take(ctx, "slots", slot)
	require.NoError(t, err)
	assert.True(t, grant.Slot)
	slot.Token = "y"
	grant, err = stores[2].Take(ctx, "slots", slot)
	require.NoError(t, err)
	assert.True(t, grant.Busy)
	require.NoError(t, stores[1].Done(ctx, "slots", "x", false))
	grant, err = stores[2].Take(ctx, "slots", slot)
	require.NoError(t, err)
	assert.True(t, grant.Slot)
	lost, err := stores[2].Renew(ctx, time.Minute, map[string]string{"y": "slots", "z": "slots"})
	require.NoError(t, err)
	assert.Equal(t, []string{"z"}, lost)
}

// When the owner ends, a guest becomes the owner, and knows the starts, breaks and entries.
func TestOwnerEnds(t *testing.T) {
	file := filepath.Join(folder(t), "f")
	first, second, third := sharedFile(t, file), sharedFile(t, file), sharedFile(t, file)
	ctx := t.Context()
	claim, err := third.Claim(ctx, "key", "", time.Minute)
	require.NoError(t, err)
	require.NoError(t, third.Put(ctx, "key", claim.Token, []byte("entry"), time.Hour))
	_, err = first.Take(ctx, "lane", ask("a", time.Hour))
	require.NoError(t, err)

	for _, owner := range []*shared{first, second} {
		require.NoError(t, owner.Close())
		grant, err := third.Take(ctx, "lane", ask("b", time.Hour))
		require.NoError(t, err)
		assert.InDelta(t, time.Hour, grant.Wait, float64(time.Minute))
		claim, err = third.Claim(ctx, "key", "", 0)
		require.NoError(t, err)
		assert.Equal(t, "entry", string(claim.Entry))
	}
	_, err = first.Take(ctx, "lane", ask("c", time.Hour))
	assert.ErrorIs(t, err, os.ErrClosed)
}

// While owners come and go, no call fails, and no two starts are the same.
func TestOwnersComeAndGo(t *testing.T) {
	file := filepath.Join(folder(t), "f")
	stays := sharedFile(t, file)
	var working sync.WaitGroup
	for range 3 {
		working.Go(func() {
			for range 20 {
				s, err := share(file, boltstore.Options{Wait: 10 * time.Second})
				if assert.NoError(t, err) {
					_, err = s.Take(context.Background(), "other", ask("x", time.Millisecond))
					assert.NoError(t, err)
					assert.NoError(t, s.Close())
				}
			}
		})
	}
	last := time.Duration(-1)
	for i := range 50 {
		grant, err := stays.Take(t.Context(), "lane", ask(string(rune('A'+i)), time.Hour))
		require.NoError(t, err)
		require.Greater(t, grant.Wait, last)
		last = grant.Wait
	}
	working.Wait()
}

// A file that another program has open is not shared, and where no socket can be made, the
// first run goes on alone.
func TestNotShared(t *testing.T) {
	dir := folder(t)
	alone, err := boltstore.Open(filepath.Join(dir, "f"), boltstore.Options{})
	require.NoError(t, err)
	defer alone.Close()
	_, err = share(filepath.Join(dir, "f"), boltstore.Options{})
	assert.ErrorIs(t, err, boltstore.ErrLocked)

	long := filepath.Join(dir, strings.Repeat("x", 120))
	s := sharedFile(t, long)
	_, err = s.Take(t.Context(), "lane", ask("a", time.Hour))
	require.NoError(t, err)
	_, err = share(long, boltstore.Options{})
	assert.ErrorIs(t, err, boltstore.ErrLocked)
}

// Only the user may use the socket, and one that an owner has left behind is no obstacle.
func TestSocket(t *testing.T) {
	file := filepath.Join(folder(t), "f")
	require.NoError(t, os.WriteFile(file+".sock", nil, 0o666))
	sharedFile(t, file)
	info, err := os.Stat(file + ".sock")
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	sharedFile(t, file)
}

// A call ends with its context, and one that is too large fails.
func TestCancelled(t *testing.T) {
	file := filepath.Join(folder(t), "f")
	sharedFile(t, file)
	guest := sharedFile(t, file)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := guest.Take(ctx, "lane", ask("a", time.Hour))
	assert.ErrorIs(t, err, context.Canceled)
	_, err = guest.Take(t.Context(), strings.Repeat("x", mostOctets), ask("a", time.Hour))
	assert.ErrorContains(t, err, "EOF")
}

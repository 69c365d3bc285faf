package redisfleet_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rights are those that the package documentation tells to grant.
const (
	rights = "resetchannels ~test:* &test:* -@all +evalsha +eval +time +info +ping " +
		"+getrange +strlen +set +setrange +hget +hset +del +pttl +pexpire " +
		"+zadd +zscore +zrange +zremrangebyscore +publish +subscribe +unsubscribe"

	// quiet are for what the client tries beside. Without them the server notes it in
	// ACL LOG.
	quiet = " +cluster|slots +cluster|shards +spublish +ssubscribe +punsubscribe +sunsubscribe +discard"
)

// uses calls all that a fleet can do.
func uses(t *testing.T, url string) error {
	f, err := redisfleet.Open(t.Context(), url, redisfleet.Options{Prefix: "test"})
	if err != nil {
		return err
	}
	defer f.Close()
	ctx := t.Context()
	if _, err := f.Take(ctx, lane, store.Ask{Token: "a", Gap: 1, Slots: 1, Lease: lease}); err != nil {
		return err
	}
	if _, err := f.Take(ctx, lane, gapOf("b")); err != nil {
		return err
	}
	if _, err := f.Renew(ctx, lease, map[string]string{"a": lane}); err != nil {
		return err
	}
	if err := f.Done(ctx, lane, "a", false); err != nil {
		return err
	}
	if err := f.Done(ctx, lane, "b", true); err != nil {
		return err
	}
	if err := f.Break(ctx, lane, time.Millisecond); err != nil {
		return err
	}
	claim, err := f.Claim(ctx, "key", "", lease)
	if err != nil {
		return err
	}
	if err := f.Put(ctx, "key", claim.Token, []byte("entry"), time.Millisecond); err != nil {
		return err
	}
	if _, err = f.Claim(ctx, "key", "", 0); err != nil {
		return err
	}
	w := watch(t, f)
	for range 3 {
		select {
		case err := <-w.err:
			return err
		case <-w.changes:
		}
	}
	return nil
}

func TestRightsAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	assert.Contains(t, string(doc), strings.ReplaceAll(rights, "test:", "p:")+"\n")
	assert.Contains(t, string(doc), quiet+"\n")
}

func TestLeastRights(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	url := "redis://crawler:secret@" + s.address()
	user := func(rights string) {
		do(t, c, "ACL SETUSER crawler reset on >secret "+rights)
		do(t, c, "FLUSHALL")
		do(t, c, "SCRIPT FLUSH")
	}
	user(rights + quiet)
	require.NoError(t, uses(t, url))
	reply := do(t, c, "ACL LOG")
	log, err := reply.ToArray()
	require.NoError(t, err)
	for _, entry := range log {
		assert.Fail(t, "the server notes in its ACL LOG", entry.String())
	}
	user(rights)
	require.NoError(t, uses(t, url))
	for right := range strings.FieldsSeq(rights) {
		if !strings.HasPrefix(right, "+") {
			continue
		}
		t.Run("without "+right, func(t *testing.T) {
			user(strings.Replace(rights+" ", " "+right+" ", " ", 1))
			err := uses(t, url)
			require.ErrorContains(t, err, "lacks a right")
			assert.Contains(t, strings.ToLower(err.Error()), right[1:])
		})
	}
	t.Run("without the keys", func(t *testing.T) {
		user(strings.Replace(rights, "~test:*", "~other:*", 1))
		require.ErrorContains(t, uses(t, url), "lacks a right")
	})
	t.Run("without the channels", func(t *testing.T) {
		user(strings.Replace(rights, "&test:*", "&other:*", 1))
		require.ErrorContains(t, uses(t, url), "lacks a right")
	})
}

package redisfleet_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The password changes, and connections that are made afterwards have the new one.
func TestCredentialsThatChange(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	var password atomic.Pointer[string]
	change := func(to string) {
		do(t, c, "ACL SETUSER crawler reset on ~* &* +@all", ">"+to)
		password.Store(&to)
	}
	change("first")
	f := open(t, "redis://nobody:wrong@"+s.address(), redisfleet.Options{Credentials: func(ctx context.Context) (string, string, error) {
		_, bounded := ctx.Deadline()
		assert.True(t, bounded)
		return "crawler", *password.Load(), nil
	}})
	works(t, f)
	change("second")
	do(t, c, "CLIENT KILL TYPE normal SKIPME yes")
	takes(t, f, "another", gapOf("a"))
	watch(t, f).zero(t)
}

func TestCredentialsThatAreWrong(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--requirepass", "secret")
	expired := errors.New("the token has expired")
	for _, test := range []struct {
		name, password string
		err            error
		want           string
	}{
		{"a wrong password", "wrong", nil, "does not take this user and password"},
		{"none", "", nil, "the server wants a password"},
		{"an error", "secret", expired, "Options.Credentials has failed: the token has expired"},
		{"it gives up", "", context.DeadlineExceeded, "Options.Credentials has failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := redisfleet.Open(t.Context(), s.url(), redisfleet.Options{
				Prefix:      "test",
				Credentials: func(context.Context) (string, string, error) { return "", test.password, test.err },
			})
			require.ErrorContains(t, err, test.want)
			if test.err != nil {
				require.ErrorIs(t, err, test.err)
			}
		})
	}
}

// Credentials that fail later fail the turns, until they are there again.
func TestCredentialsFailLater(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--requirepass", "secret")
	var gone atomic.Bool
	f := open(t, s.url(), redisfleet.Options{Credentials: func(context.Context) (string, string, error) {
		if gone.Load() {
			return "", "", errors.New("the vault is away")
		}
		return "", "secret", nil
	}})
	takes(t, f, lane, gapOf("a"))
	gone.Store(true)
	s.kill()
	s.start()
	_, err := f.Take(t.Context(), lane, gapOf("b"))
	require.ErrorContains(t, err, "the vault is away")
	gone.Store(false)
	near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
}

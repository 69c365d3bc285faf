package verb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An error is told once, and its kind is the exit status.
func TestConclude(t *testing.T) {
	full := errors.New("polite: disk full\x1b")
	for _, test := range []struct {
		verb string
		err  error
		want Status
		told string
	}{
		{"get", nil, OK, ""},
		{"get", fmt.Errorf("x: %w", Disallowed), Disallowed, ""},
		{"get", fmt.Errorf("write: %w", syscall.EPIPE), Failed, ""},
		{"get", full, Failed, "polite get: disk full\\x1b\n"},
		{"", full, Failed, "polite: disk full\\x1b\n"},
		{"get", Misused("get", full), Misuse, "polite get: disk full\\x1b\n\"polite help get\" tells how to use it.\n"},
		{"", Misused("", full), Misuse, "polite: disk full\\x1b\n\"polite help\" tells how to use it.\n"},
		{"lint", fmt.Errorf("x: %w", Unread(full)), Unreachable, "polite lint: x: polite: disk full\\x1b\n"},
	} {
		var b strings.Builder
		assert.Equal(t, test.want, Conclude(test.verb, test.err, &b))
		assert.Equal(t, test.told, b.String())
	}
	assert.ErrorIs(t, Unread(full), full)
}

// flagged returns what a flag makes of a value.
func flagged(value string, define func(*pflag.FlagSet)) error {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	define(flags)
	return flags.Parse([]string{"--x=" + value})
}

func TestTime(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"10": 10 * time.Second, "0.5": time.Second / 2, "2m": 2 * time.Minute, "1h30m": 90 * time.Minute,
		"": 0, "0": 0, "-1": 0, "-1s": 0, "x": 0, "m": 0, "Inf": 0, "1e2": 0,
	} {
		var got time.Duration
		err := flagged(value, func(f *pflag.FlagSet) { Time(f, &got, "x", "") })
		assert.Equal(t, want, got, value)
		assert.Equal(t, want == 0, err != nil, value)
	}
}

func TestUsable(t *testing.T) {
	for agent, want := range map[string]string{"ExampleBot/1.0": "", "": "it is empty", "a\x1b": "it has a control character", "(x)": "it names no crawler"} {
		var got string
		err := TakeUserAgent(&got)(agent)
		assert.Equal(t, agent, got)
		assert.Equal(t, want == "", err == nil, agent)
		if err != nil {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestUserAgent(t *testing.T) {
	assert.Regexp(t, `^polite(/[0-9]\S*)? \(\+https://github\.com/go-polite/polite\)$`, UserAgent())
}

// A host is private in any spelling of its name, and takes neither a scheme nor a port.
func TestPrivate(t *testing.T) {
	var p Private
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	p.Flag(flags)
	require.NoError(t, flags.Parse([]string{"--private=10.0.0.1,Intranet.example.", "--private", "::1"}))
	for host, want := range map[string]bool{"10.0.0.1": true, "::1": true, "intranet.EXAMPLE": true, "intranet.example.": true, "10.0.0.2": false, "example": false, "": false} {
		assert.Equal(t, want, p.Has(host), host)
	}
	for _, host := range []string{"", "a,", "a:80", "http://a", "a/b", "u@a", "[::1]", "a b"} {
		assert.ErrorContains(t, flags.Parse([]string{"--private=" + host}), "is no host", host)
	}
	assert.True(t, Private{"*"}.Has("any"))
	assert.False(t, Private{}.Has("any"))
}

// Who listens to others than this machine has a secret: that of a file, or a new one.
func TestLock(t *testing.T) {
	file := func(text string) string {
		name := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return name
	}
	const secret = "0123456789abcdef"
	for _, test := range []struct {
		door   Door
		open   bool
		secret string // "" for none, "new" for a new one
		err    string
	}{
		{Door{Address: "127.0.0.1:80"}, false, "", ""},
		{Door{Address: "[::1]:80"}, false, "", ""},
		{Door{Address: "localhost:80"}, false, "", ""},
		{Door{Address: "127.0.0.1:80"}, true, "new", ""},
		{Door{Address: ":80"}, false, "new", ""},
		{Door{Address: "0.0.0.0:80"}, false, "new", ""},
		{Door{Address: "shop.example:80"}, false, "new", ""},
		{Door{Address: "80"}, false, "", "--listen takes an address and a port, as in 127.0.0.1:3128, or :3128 for all addresses"},
		{Door{Address: ":80", SecretFile: file(" " + secret + "\n")}, false, secret, ""},
		{Door{Address: "127.0.0.1:80", SecretFile: file(secret)}, false, secret, ""},
		{Door{Address: ":80", SecretFile: file(secret[1:] + "\n\n")}, false, "", "must have one line of at least 16 characters"},
		{Door{Address: ":80", SecretFile: file(secret + "\n" + secret)}, false, "", "must have one line of at least 16 characters"},
		{Door{Address: ":80", SecretFile: "none"}, false, "", "--secret: open none"},
	} {
		d := test.door
		err := d.Lock("--secret", "3128", test.open)
		if test.err != "" {
			assert.ErrorContains(t, err, test.err)
			continue
		}
		require.NoError(t, err, test.door)
		assert.Equal(t, test.door.SecretFile != "", d.Given)
		if test.secret == "new" {
			assert.GreaterOrEqual(t, len(d.Secret), 26)
		} else {
			assert.Equal(t, test.secret, d.Secret)
		}
	}
	assert.True(t, SameSecret(secret, secret))
	assert.False(t, SameSecret(secret, secret[1:]))
}

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/verb"
	"github.com/stretchr/testify/assert"
)

// The demo starts processes of the test binary, which are processes of the command then.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == "crawl" || os.Args[1] == "demo") {
		main()
	}
	os.Exit(m.Run())
}

// A result is what a command has written, and its exit status.
type result struct {
	out, err string
	status   verb.Status
}

func runCommand(ctx context.Context, args ...string) result {
	var out, problems bytes.Buffer
	status := run(ctx, args, verb.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
	return result{out.String(), problems.String(), status}
}

func TestUsage(t *testing.T) {
	const url = "redis://user:secret@127.0.0.1:1"
	for _, test := range []struct {
		args   string
		status verb.Status
		says   string
	}{
		{"", verb.OK, "politefleet look URL"},
		{"help", verb.OK, "politefleet demo"},
		{"--help", verb.OK, "politefleet demo"},
		{"help look", verb.OK, "usage: politefleet look"},
		{"look -h", verb.OK, "usage: politefleet look"},
		{"demo --help", verb.OK, "usage: politefleet demo"},
		{"help none", verb.Misuse, `unknown command "none"`},
		{"help look demo", verb.Misuse, "one command"},
		{"lok", verb.Misuse, `unknown command "lok"`},
		{"\x1b[31m", verb.Misuse, `unknown command`},
		{"look", verb.Misuse, "A URL is missing"},
		{"look " + url, verb.Misuse, "--prefix is missing"},
		{"look " + url + " --prefix", verb.Misuse, "flag needs an argument: --prefix"},
		{"look " + url + " " + url + " --prefix p", verb.Misuse, "more than one URL"},
		{"look " + url + " --prefix p -n -1", verb.Misuse, "negative"},
		{"look " + url + " --prefix p -n x", verb.Misuse, "flag -n"},
		{"look " + url + " --prefix p --all", verb.Misuse, "unknown flag --all: there is --json, --lane, -n, --prefix"},
		{"look redis://user:secret@:port --prefix p", verb.Failed, "the URL"},
		{"look " + url + " --prefix p*", verb.Failed, "meaning of its own"},
		{"look " + url + " --prefix p", verb.Failed, "could not be reached"},
		{"demo now", verb.Misuse, `unexpected argument "now"`},
		{"demo -n 2", verb.Misuse, "from 3 to 9"},
		{"demo -n 10", verb.Misuse, "from 3 to 9"},
		{"crawl", verb.Misuse, "for the demo alone"},
		{"crawl a b c", verb.Misuse, "for the demo alone"},
	} {
		r := runCommand(t.Context(), strings.Fields(test.args)...)
		said := r.out
		if test.status != verb.OK {
			said = r.err
			assert.Empty(t, r.out, test.args)
		}
		assert.Equal(t, test.status, r.status, test.args)
		assert.Contains(t, said, test.says, test.args)
		assert.NotContains(t, said, "secret", test.args)
		assert.NotContains(t, said, "\x1b", test.args)
	}
}

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

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
	status   status
}

func runCommand(ctx context.Context, args ...string) result {
	var out, problems bytes.Buffer
	status := run(ctx, args, streams{strings.NewReader(""), &out, &problems})
	return result{out.String(), problems.String(), status}
}

func TestUsage(t *testing.T) {
	const url = "redis://user:secret@127.0.0.1:1"
	for _, test := range []struct {
		args   string
		status status
		says   string
	}{
		{"", succeeded, "politefleet look URL"},
		{"help", succeeded, "politefleet demo"},
		{"--help", succeeded, "politefleet demo"},
		{"help look", succeeded, "usage: politefleet look"},
		{"look -h", succeeded, "usage: politefleet look"},
		{"demo --help", succeeded, "usage: politefleet demo"},
		{"help none", misused, `unknown command "none"`},
		{"help look demo", misused, "one command"},
		{"lok", misused, `unknown command "lok"`},
		{"\x1b[31m", misused, `unknown command`},
		{"look", misused, "A URL is missing"},
		{"look " + url, misused, "--prefix is missing"},
		{"look " + url + " --prefix", misused, "flag needs an argument: --prefix"},
		{"look " + url + " " + url + " --prefix p", misused, "more than one URL"},
		{"look " + url + " --prefix p -n -1", misused, "negative"},
		{"look " + url + " --prefix p -n x", misused, "flag -n"},
		{"look " + url + " --prefix p --all", misused, "unknown flag --all: there is --json, --lane, -n, --prefix"},
		{"look redis://user:secret@:port --prefix p", failed, "the URL"},
		{"look " + url + " --prefix p*", failed, "meaning of its own"},
		{"look " + url + " --prefix p", failed, "could not be reached"},
		{"demo now", misused, `unexpected argument "now"`},
		{"demo -n 2", misused, "from 3 to 9"},
		{"demo -n 10", misused, "from 3 to 9"},
		{"crawl", misused, "for the demo alone"},
		{"crawl a b c", misused, "for the demo alone"},
	} {
		r := runCommand(t.Context(), strings.Fields(test.args)...)
		said := r.out
		if test.status != succeeded {
			said = r.err
			assert.Empty(t, r.out, test.args)
		}
		assert.Equal(t, test.status, r.status, test.args)
		assert.Contains(t, said, test.says, test.args)
		assert.NotContains(t, said, "secret", test.args)
		assert.NotContains(t, said, "\x1b", test.args)
	}
}

package main

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// A result is what a command has written, and its exit status.
type result struct {
	out, err string
	status   status
}

func runCommand(ctx context.Context, args ...string) result {
	var out, problems bytes.Buffer
	status := run(ctx, args, streams{&out, &problems})
	return result{out.String(), problems.String(), status}
}

func TestUsage(t *testing.T) {
	const url = "redis://user:secret@127.0.0.1:1"
	for _, test := range []struct {
		args   string
		status status
		says   string
	}{
		{"--help", succeeded, "usage: politefleet URL"},
		{url + " -h", succeeded, "usage: politefleet URL"},
		{"", misused, "A URL is missing"},
		{"--prefix p", misused, "A URL is missing"},
		{url, misused, "--prefix is missing"},
		{url + " --prefix", misused, "flag needs an argument: -prefix"},
		{url + " " + url + " --prefix p", misused, "more than one URL"},
		{"--prefix p " + url + " \x1b[31m", misused, "more than one URL"},
		{url + " --prefix p -n -1", misused, "negative"},
		{url + " --prefix p -n x", misused, "flag -n"},
		{url + " --prefix p --\x1b[31m", misused, "not defined: -"},
		{"redis://user:secret@:port --prefix p", failed, "the URL"},
		{url + " --prefix p*", failed, "meaning of its own"},
		{url + " --prefix p", failed, "could not be reached"},
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

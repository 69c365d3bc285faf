// Package command is the command polite, and has the table of its verbs. Each verb has a folder here,
// with its help, or shares one with a verb on the same subject. Package verb has what all of them
// share: they cannot use this package, which uses them.
package command

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-polite/polite/cmd/polite/internal/child"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// Main executes the command that the arguments of the process are, and returns its exit
// status.
func Main() int {
	child.Enter()
	signal.Ignore(syscall.SIGPIPE) // so that Write returns an error for a closed pipe
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // the second Ctrl-C ends the command at once
	return int(Run(ctx, os.Args[1:], verb.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// Run executes the command that args are, and returns its exit status.
func Run(ctx context.Context, args []string, std verb.Streams) verb.Status {
	help := &helpWriter{w: std.Out}
	polite := newPolite(std, help)
	polite.SetArgs(append([]string{}, args...)) // for nil, cobra takes those of the process
	executed, err := polite.ExecuteContextC(ctx)
	return verb.Conclude(pathOf(executed), cmp.Or(err, help.err), std.Err)
}

// A helpWriter remembers why help could not be written: cobra does not tell.
type helpWriter struct {
	w   io.Writer
	err error
}

func (h *helpWriter) Write(text []byte) (n int, err error) {
	n, err = h.w.Write(text)
	h.err = cmp.Or(h.err, err)
	return n, err
}

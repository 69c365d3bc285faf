package input

import (
	"context"
	"errors"
	"flag"
	"io"
	"slices"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// A Teller makes text of a robots.txt.
type Teller func(s Source, o TellOptions) string

// TellOptions say what text to make.
type TellOptions struct {
	JSON bool
	Many bool // there are several: tell which
}

// TellEach does the work of a verb whose arguments are robots.txt files, and whose flags
// are --json, --timeout and --no-cache: it writes what tell makes of each. It tells the
// errors, and returns the status of the first.
func TellEach(ctx context.Context, name string, args []string, std verb.Streams, tell Teller) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	var o Options
	o.Flag(flags)
	args, err := verb.Parse(flags, args)
	if err != nil {
		return err
	}
	if err := vetEach(ctx, args); err != nil {
		return verb.Misused(name, err)
	}
	reader, end := Open(ctx, name, args, o, std)
	defer end()
	var first verb.First
	for read := range reader.All(ctx, args) {
		if read.Out.Err != nil {
			first.Note(read.N, verb.Conclude(name, read.Out.Err, std.Err))
			continue
		}
		text := tell(read.Out.Source, TellOptions{JSON: *asJSON, Many: len(args) > 1})
		if _, err := io.WriteString(reader.Out(), text); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return first.Status().OrNil()
}

// vetEach returns an error if arguments make no sense. It reads nothing.
func vetEach(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("of which robots.txt? write a file, or a URL as in https://example.com/")
	}
	return VetAll(ctx, args)
}

// VetAll returns an error if one of the arguments for [Reader.All] makes no sense. It reads
// nothing.
func VetAll(ctx context.Context, args []string) error {
	for i, arg := range args {
		if arg == "-" && slices.Contains(args[:i], "-") {
			return errors.New(`"-" twice: standard input can be read once`)
		}
		if err := VetRobots(ctx, arg); err != nil {
			return err
		}
	}
	return nil
}

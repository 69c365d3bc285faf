package input

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/go-polite/polite/cmd/polite/internal/kept"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// TellOne does the work of a verb that has one robots.txt for its argument, and for its
// flags --json and --no-cache: it writes what text makes of that robots.txt.
func TellOne(ctx context.Context, name string, args []string, std verb.Streams, text func(s Source, asJSON bool) string) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	var o kept.Options
	o.Flag(flags)
	args, err := verb.Parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(args) == 0:
		return verb.Misused(name, errors.New("of which robots.txt? write a file, or a URL as in https://example.com/"))
	case len(args) > 1:
		return verb.Misused(name, fmt.Errorf("one robots.txt at a time: unexpected argument %q", verb.Shown(args[1])))
	}
	if err := VetRobots(ctx, args[0]); err != nil {
		return verb.Misused(name, err)
	}
	reader, end := Open(ctx, name, args, o, std)
	defer end()
	source, err := reader.Robots(ctx, args[0])
	if err != nil {
		return err
	}
	_, err = io.WriteString(std.Out, text(source, *asJSON))
	return err
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/stage"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
)

// standard returns what the demo plays: so much that it can be seen at a glance.
func standard() stage.Plan {
	const ms = time.Millisecond
	return stage.Plan{
		Processes: 4, Gap: 400 * ms, Length: 12000 * ms,
		Kill: 2600 * ms, Pause: 4200 * ms, Resume: 7200 * ms,
		Break: 5600 * ms, BreakFor: 2000 * ms,
	}
}

func demo(ctx context.Context, args []string, std streams) error {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	plan := standard()
	flags.IntVar(&plan.Processes, "n", plan.Processes, "")
	picture := flags.String("svg", "", "")
	args, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case len(args) > 0:
		return misusef("demo", "unexpected argument %q", args[0])
	case plan.Processes < 3 || plan.Processes > 9:
		return misusef("demo", "-n is not from 3 to 9")
	}
	log, err := play(ctx, plan, std)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(std.out, log.Text()); err != nil {
		return err
	}
	if *picture != "" {
		if err := os.WriteFile(*picture, []byte(log.SVG()), 0o644); err != nil {
			return err
		}
	}
	if broken := log.Broken(); len(broken) > 0 {
		return fmt.Errorf("not all was kept: %s", strings.Join(broken, "; "))
	}
	return nil
}

// play plays a plan with processes of this command.
func play(ctx context.Context, plan stage.Plan, std streams) (*timeline.Log, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p, err := stage.Open(ctx, plan, []string{self, "crawl"})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	fmt.Fprintf(std.err, "%d processes crawl one site for %.0f seconds. They share %s.\n", plan.Processes, plan.Length.Seconds(), p.ServerName)
	if !isTerminal(std.err) {
		return p.Run(ctx, func(time.Duration, *timeline.Log) {})
	}
	defer io.WriteString(std.err, "\r\x1b[K")
	return p.Run(ctx, func(now time.Duration, log *timeline.Log) {
		fmt.Fprintf(std.err, "\r\x1b[K%4.1f s: %d requests", now.Seconds(), len(log.Arrivals))
	})
}

// crawl is a process of the demo. The help does not name it.
func crawl(ctx context.Context, args []string, std streams) error {
	if len(args) == 3 {
		if number, err := strconv.Atoi(args[2]); err == nil {
			return stage.Crawl(ctx, args[0], args[1], number, std.in, std.out)
		}
	}
	return misusef("", "crawl is for the demo alone")
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/crawlers"
)

func listCrawlers(_ context.Context, args []string, std verb.Streams) error {
	flags := flag.NewFlagSet("crawlers", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	args, err := verb.Parse(flags, args)
	if err != nil {
		return err
	}
	listed, tell := crawlers.All(), crawlerLine
	if len(args) > 0 {
		if listed, err = named(args); err != nil {
			return verb.Misused("crawlers", err)
		}
		tell = crawlerStory
	}
	if *asJSON {
		tell = func(c crawlers.Crawler) string { return verb.JSONLine(c) }
	}
	var b strings.Builder
	for _, c := range listed {
		b.WriteString(tell(c))
	}
	_, err = io.WriteString(std.Out, b.String())
	return err
}

// named returns the crawlers with these names.
func named(names []string) (found []crawlers.Crawler, err error) {
	for _, name := range names {
		c, ok := crawlers.Find(name)
		if !ok {
			text := fmt.Sprintf("%q is no crawler that polite knows", verb.Shown(name))
			if meant := crawlers.Meant(name); meant != "" {
				text += ": do you mean " + meant + "?"
			}
			return nil, errors.New(text)
		}
		found = append(found, c)
	}
	return found, nil
}

const notLooked = "not looked up yet"

func crawlerLine(c crawlers.Crawler) string {
	return fmt.Sprintf("%-21s  %-16s  %s (%s)\n", c.Name, c.Owner, c.Purpose, cmp.Or(c.Manners, notLooked))
}

func crawlerStory(c crawlers.Crawler) string {
	text := fmt.Sprintf("%s\n  owner    %s\n  for      %s\n  manners  %s\n", c.Name, c.Owner, c.Purpose, cmp.Or(c.Manners, notLooked))
	if c.Source != "" {
		text += fmt.Sprintf("  source   %s (%s)\n", c.Source, c.Looked)
	}
	return text
}

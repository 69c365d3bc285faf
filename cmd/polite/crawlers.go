package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/crawlers"
)

func listCrawlers(_ context.Context, args []string, std verb.Streams) error {
	flags := flag.NewFlagSet("crawlers", flag.ContinueOnError)
	asJSON := flags.Bool("json", false, "")
	var kind crawlers.Kind
	flags.Func("purpose", "", func(name string) (err error) {
		kind, err = kindOf(name)
		return err
	})
	args, err := verb.Parse(flags, args)
	if err != nil {
		return err
	}
	listed, tell := crawlers.All(), crawlerLine
	switch {
	case kind != "" && len(args) > 0:
		return verb.Misused("crawlers", errors.New("--purpose or names? --purpose lists all of a kind"))
	case kind != "":
		listed = crawlers.OfKind(kind)
	case len(args) > 0:
		if listed, err = named(args); err != nil {
			return verb.Misused("crawlers", err)
		}
		tell = crawlerStory
	}
	if *asJSON {
		tell = func(c crawlers.Crawler, _ int) string { return verb.JSONLine(c) }
	}
	var b strings.Builder
	for _, c := range listed {
		b.WriteString(tell(c, terminal.Width(std.Out)))
	}
	_, err = io.WriteString(std.Out, b.String())
	return err
}

// kindOf returns the kind of crawlers that --purpose names.
func kindOf(name string) (crawlers.Kind, error) {
	if slices.Contains(crawlers.Kinds(), crawlers.Kind(name)) {
		return crawlers.Kind(name), nil
	}
	return "", errors.New("there is " + strings.Join(purposes(), ", "))
}

func purposes() (names []string) {
	for _, k := range crawlers.Kinds() {
		names = append(names, string(k))
	}
	return names
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

// crawlerLine tells a crawler in a line, for so many columns; 0 is for any.
func crawlerLine(c crawlers.Crawler, columns int) string {
	head := fmt.Sprintf("%-22s  %-16s  ", c.Name, c.Owner)
	notes := cmp.Or(c.Manners, notLooked)
	if status := statusOf(c); status != "" {
		notes = status + "; " + notes
	}
	return terminal.Fold(fmt.Sprintf("%s%s (%s)", head, c.Purpose, notes), columns, len(head)) + "\n"
}

// crawlerStory tells all that is known of a crawler.
func crawlerStory(c crawlers.Crawler, columns int) string {
	var b strings.Builder
	b.WriteString(c.Name + "\n")
	add := func(what, text string) {
		if text != "" {
			b.WriteString(terminal.Fold(fmt.Sprintf("  %-7s  %s", what, text), columns, 11) + "\n")
		}
	}
	add("owner", c.Owner)
	add("for", c.Purpose)
	add("status", statusOf(c))
	add("manners", cmp.Or(c.Manners, notLooked))
	if c.Looked != "" {
		add("source", fmt.Sprintf("%s (%s)", cmp.Or(c.Source, "none"), c.Looked))
	}
	return b.String()
}

// statusOf tells that a name in a robots.txt may reach nobody.
func statusOf(c crawlers.Crawler) string {
	switch c.Status {
	case crawlers.Retired:
		return "no longer in use"
	case crawlers.Unofficial:
		return "never announced by its owner"
	default:
		return ""
	}
}

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
)

const usage = `polite fetches pages as a well-behaved crawler does: it asks robots.txt first,
and does not request what the site disallows. It also tells why, and what is
wrong with a robots.txt.

    polite get URL...            fetch pages
    polite check URL...          tell whether pages are allowed, and why
    polite lint URL|file...      tell what is wrong with a robots.txt
    polite sitemaps URL|file     print the sitemaps that it names
    polite records URL|file      print what it says beside its rules
    polite demo                  see how it works; needs no network
    polite version               print the version
    polite help [command]        print how to use a command
    polite help robots.txt       print a guide to the language
`

// guideName is the topic of help that is no command.
const guideName = "robots.txt"

func help(_ context.Context, args []string, std stdio) error {
	args, err := parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	text := usage
	switch {
	case len(args) > 1:
		return misused("help", fmt.Errorf("unexpected argument %q", args[1]))
	case len(args) == 1 && args[0] == guideName:
		text = guide
	case len(args) == 1:
		c, err := find(args[0])
		if err != nil {
			return err
		}
		text = c.usage
	}
	_, err = io.WriteString(std.out, text)
	return err
}

package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

const usage = `polite fetches pages as a well-behaved crawler does: it asks for robots.txt
first, and does not request a page that the site disallows. It also tells why a
page is disallowed, and what is wrong with a robots.txt.

    polite get URL...            fetch pages
    polite check URL...          tell whether pages are allowed, and why
    polite lint URL|file...      tell what is wrong with a robots.txt
    polite diff old new          tell what changes between two robots.txt
    polite tester [file]         open a page to write and try a robots.txt
    polite crawlers              list well-known crawlers
    polite sitemaps URL|file...  print the sitemaps that it names
    polite records URL|file...   print what it says besides its rules
    polite cache                 tell what polite remembers of sites
    polite demo                  show how polite works; needs no network
    polite completion SHELL      print a file by which a shell completes it all
    polite man                   print a man page
    polite version               print the version
    polite help [command]        print how to use a command
    polite help robots.txt       print a guide to the language
    polite help sites            print how to write a file for --sites
    polite help usage            print a guide to what sites say about use
`

// help prints how to use one of the verbs, or all.
func help(verbs []verb.Verb, args []string, std verb.Streams) error {
	args, err := verb.Parse(flag.NewFlagSet("help", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	text := usage
	switch {
	case len(args) > 1:
		return verb.Misused("help", fmt.Errorf("unexpected argument %q", args[1]))
	case len(args) == 1 && args[0] == verb.GuideTopic:
		text = guide
	case len(args) == 1 && args[0] == "sites":
		text = sitesGuide
	case len(args) == 1 && args[0] == verb.UsageTopic:
		text = usageGuide
	case len(args) == 1:
		v, err := verb.Find(verbs, args[0])
		if err != nil {
			return err
		}
		text = v.Usage
	}
	_, err = io.WriteString(std.Out, text)
	return err
}

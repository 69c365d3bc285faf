package main

import (
	"flag"
	"fmt"
	"io"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

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
	case len(args) == 1 && (args[0] == verb.GuideTopic || args[0]+".txt" == verb.GuideTopic):
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

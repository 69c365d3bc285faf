package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
	"github.com/go-polite/polite/cmd/polite/internal/shell"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/lint"
)

// completion prints the file for a shell.
func completion(verbs []verb.Verb, args []string, std verb.Streams) error {
	args, err := verb.Parse(flag.NewFlagSet("completion", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return verb.Misused("completion", errors.New("for which shell? there is "+strings.Join(shell.Names(), ", ")))
	}
	if !slices.Contains(shell.Names(), args[0]) {
		return verb.Misused("completion", fmt.Errorf("unknown shell %q: there is %s", verb.Shown(args[0]), strings.Join(shell.Names(), ", ")))
	}
	return shell.Write(std.Out, args[0], completed(verbs), flagValues)
}

// completed returns what there is to complete of the verbs.
func completed(verbs []verb.Verb) (all []shell.Verb) {
	for _, v := range verbs {
		c := shell.Verb{Name: v.Name, Brief: manual.Brief(usage, v.Name), Flags: manual.Flags(v.Usage)}
		switch v.Name {
		case "cache":
			c.Words = []string{"list", "clear"}
		case "crawlers":
			c.Words = flagValues("agent")
		case "completion":
			c.Words = shell.Names()
		case "help":
			c.Words = []string{verb.GuideTopic, "sites", verb.UsageTopic}
			for _, v := range verbs {
				c.Words = append(c.Words, v.Name)
			}
		}
		all = append(all, c)
	}
	return all
}

// flagValues returns the words that the value of a flag may be, by its name in the help.
func flagValues(value string) (words []string) {
	switch value {
	case "which":
		return []string{"all", "documents"}
	case "when":
		return []string{"auto", "always", "never"}
	case "id":
		for _, c := range lint.Checks() {
			words = append(words, c.ID)
		}
	case "purpose":
		return purposes()
	case "agent":
		for _, c := range crawlers.All() {
			words = append(words, c.Name)
		}
	}
	return words
}

// man prints the man page.
func man(verbs []verb.Verb, args []string, std verb.Streams) error {
	if err := verb.ParseNone("man", args); err != nil {
		return err
	}
	page := manual.Page{Name: "polite", Brief: "fetch and check pages as robots.txt has it", Version: verb.Version()}
	add := func(name, text string) { page.Sections = append(page.Sections, manual.Section{Name: name, Text: text}) }
	add("description", usage)
	for _, v := range verbs {
		if v.Name != "help" {
			add("polite "+v.Name, v.Usage)
		}
	}
	add("files for --sites", sitesGuide)
	add("guide", guide)
	add("guide to usage", usageGuide)
	return page.Write(std.Out)
}

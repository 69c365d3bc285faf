// Package crawlers is the verb of this name.
package crawlers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/spf13/cobra"
)

// Verb returns "polite crawlers".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "crawlers [name|owner...]", Short: "list well-known crawlers",
		RunE:      func(_ *cobra.Command, names []string) error { return o.list(names, std.Out) },
		ValidArgs: Names(),
	}
	c.Flags().Func("kind", "list those of this `kind`: ai-training, ai-search (search and answers with AI), ai-user (what a user asks an AI for), search, seo, ads, preview (of links), archive or other", func(name string) error {
		if o.kind = crawlers.Kind(name); !slices.Contains(crawlers.Kinds(), o.kind) {
			return errors.New("there is " + strings.Join(Kinds(), ", "))
		}
		return nil
	})
	c.Flags().BoolVar(&o.json, "json", false, "write a JSON object a line: name, owner, kinds, purpose, manners, source, looked, the day on which somebody has read the source, and status: retired, unofficial or listed")
	return c
}

type options struct {
	kind crawlers.Kind // "" for any
	json bool
}

// list lists crawlers. Of those with names it tells all.
func (o options) list(names []string, w io.Writer) (err error) {
	listed, tell := crawlers.All(), crawlerLine
	switch {
	case o.kind != "" && len(names) > 0:
		return verb.Misused("crawlers", errors.New("--kind or names? --kind lists all of a kind"))
	case o.kind != "":
		listed = crawlers.OfKind(o.kind)
	case len(names) > 0:
		if listed, err = named(names); err != nil {
			return verb.Misused("crawlers", err)
		}
		tell = crawlerStory
	}
	if o.json {
		tell = func(c crawlers.Crawler, _ int) string { return verb.JSONLine(c) }
	}
	var b strings.Builder
	for _, c := range listed {
		b.WriteString(tell(c, terminal.Width(w)))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// named returns the crawlers with these names.
func named(names []string) (found []crawlers.Crawler, err error) {
	for _, name := range names {
		those := crawlers.OfOwner(name)
		if c, ok := crawlers.Find(name); ok {
			those = append(those, c)
		}
		if len(those) == 0 {
			text := fmt.Sprintf("%q is no crawler that polite knows", verb.Shown(name))
			if meant := crawlers.Meant(name); meant != "" {
				text += ": do you mean " + meant + "?"
			}
			return nil, errors.New(text)
		}
		found = append(found, those...)
	}
	return found, nil
}

const notLooked = "not looked up yet"

// crawlerLine tells a crawler in a line, for so many columns; 0 is for any.
func crawlerLine(c crawlers.Crawler, columns int) string {
	head := fmt.Sprintf("%-22s  %-16s  ", c.Name, c.Owner)
	notes := cmp.Or(c.Manners, notLooked)
	if status := statuses[c.Status]; status != "" {
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
	add("status", statuses[c.Status])
	add("manners", cmp.Or(c.Manners, notLooked))
	if c.Looked != "" {
		add("source", fmt.Sprintf("%s (%s)", cmp.Or(c.Source, "none"), c.Looked))
	}
	return b.String()
}

// statuses tell that a name in a robots.txt may reach nobody, or that little is known of it.
var statuses = map[crawlers.Status]string{
	crawlers.Retired: "no longer in use", crawlers.Unofficial: "never announced by its owner", crawlers.Listed: "seen in public lists",
}

// Kinds returns the values of --kind.
func Kinds() (names []string) {
	for _, k := range crawlers.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// Names returns the names of all crawlers.
func Names() (names []string) {
	for _, c := range crawlers.All() {
		names = append(names, c.Name)
	}
	return names
}

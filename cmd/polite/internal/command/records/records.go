// Package records is the verb of this name.
package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/reader"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/spf13/cobra"
)

// Verb returns "polite records".
func Verb(std verb.Streams) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "records URL|file...", Short: "print what it says besides its rules, such as its sitemaps",
		SuggestFor: []string{"sitemap", "sitemaps"},
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("of which robots.txt? write a file, or a URL as in https://example.com/")
			}
			return input.VetAll(c.Context(), args)
		},
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args, std) },
	}
	c.Flags().BoolVar(&o.sitemaps, "sitemaps", false, "print the URLs of its sitemaps, and nothing else")
	c.Flags().BoolVar(&o.json, "json", false, "write a JSON object a line")
	o.asks.Flag(c.Flags())
	return c
}

type options struct {
	sitemaps bool // and nothing else
	json     bool
	many     bool // there are several files: tell which
	asks     reader.Options
}

// run tells what each file says. If it cannot read one, it tells why, and goes on.
func (o options) run(ctx context.Context, args []string, std verb.Streams) error {
	o.many = len(args) > 1
	reader, end := reader.Open(ctx, "records", args, o.asks, std)
	defer end()
	status := verb.OK
	for read := range reader.All(ctx, args) {
		if read.Out.Err != nil {
			status = cmp.Or(status, verb.Conclude("records", read.Out.Err, std.Err))
			continue
		}
		read.Out.TellFormat(std.Warning("records"))
		text := ""
		if o.sitemaps {
			text = o.sitemapsOf(read.Out.Source, std.Err)
		} else {
			text = o.records(read.Out.Source)
		}
		if _, err := io.WriteString(reader.Out(), text); err != nil {
			return err
		}
	}
	return cmp.Or(reader.Interrupted(ctx), status.OrNil())
}

// records tells the records of a robots.txt.
func (o options) records(s input.Source) string {
	tell, file := recordLine, ""
	if o.json {
		tell = recordJSON
	}
	if o.many {
		file = s.Name
	}
	var b strings.Builder
	room := verb.RoomFor(len(s.Body))
	forUses := room
	for _, r := range entriesOf(robots.Parse(s.Body)) {
		if len(r.agents) > 0 && r.as != r.Line && room < 0 {
			r.agents = nil
		} else if len(r.agents) > 0 {
			r.as = 0
		}
		r.readUses(&forUses)
		line := tell(file, r)
		room -= verb.Room(len(line))
		b.WriteString(line)
	}
	return b.String()
}

// An entry is a record, and who has it.
type entry struct {
	robots.Record
	agents []string
	as     int // the line of the first record of these agents
	again  int // how many more lines say the same to the same agents
	uses
}

// A uses is what a record says about uses, as far as there is room for it.
type uses struct {
	path   string // of all of them
	says   []report.Use
	more   int  // uses for which there is no room
	states bool // one of all is yes or no
}

// readUses reads what the record says about uses. Short labels are told in many more octets than they have.
func (e *entry) readUses(room *verb.Room) {
	for s := range usage.OfRecord(e.Record) {
		e.states = e.states || s.Preference != usage.NotStated
		if *room < 0 {
			e.more++
			continue
		}
		if e.says == nil {
			e.path = verb.Cut(s.Path)
			*room -= verb.Room(len(verb.JSONLine(e.path)))
		}
		use := report.Use{Use: usage.Use(verb.Cut(string(s.Use))), Says: s.Preference, Value: verb.Cut(s.Value)}
		*room -= verb.Room(len(verb.JSONLine(use)))
		e.says = append(e.says, use)
	}
}

// mostPairs is how many pairs of agents and records are looked at, and untold stands for the agents of a file that
// has more.
const (
	mostPairs = 1 << 22
	untold    = -1
)

// entriesOf returns the records of a file. What the lines of a group repeat is one entry.
func entriesOf(f *robots.File) (all []entry) {
	named, records := 0, 0
	for range f.Named() {
		named++
	}
	for range f.Records() {
		records++
	}
	var group entry
	type content struct {
		key, value string
		as         int
	}
	places := make(map[content]int)
	for r := range f.Records() {
		e := entry{Record: r, as: untold}
		if named*records <= mostPairs {
			e.agents, e.as = f.Agents(r), 0
		}
		if len(e.agents) > 0 {
			if !slices.Equal(e.agents, group.agents) {
				group = entry{agents: e.agents, as: r.Line}
			}
			e.as = group.as
		}
		said := content{r.Key, r.Value, e.as}
		if i, ok := places[said]; ok {
			all[i].again++
			continue
		}
		places[said] = len(all)
		all = append(all, e)
	}
	return all
}

// recordLine tells a record of a file; "" is for the only one.
func recordLine(file string, r entry) string {
	line := fmt.Sprintf("%d: %s: %s", r.Line, r.Key, r.Value)
	if file != "" {
		line = verb.Beginning(file) + ":" + line
	}
	switch {
	case r.as == untold:
		line += " (too many agents to tell)"
	case r.as > 0:
		line += fmt.Sprintf(" (as in line %d)", r.as)
	case len(r.agents) > 0:
		line += " (" + strings.Join(names(r.agents), ", ") + ")"
	}
	if meaning := r.meaning(); meaning != "" {
		line += "  <- " + meaning
	}
	if r.again > 0 {
		line += "  and again in " + verb.Count(r.again, "line")
	}
	return printable.Text(line) + "\n"
}

// names returns the names of agents as they are told.
func names(agents []string) (told []string) {
	for _, name := range agents {
		told = append(told, verb.Name(name))
	}
	return told
}

// meaning tells what a record says about use. It is "" for any other record.
func (e *entry) meaning() string {
	switch key := strings.ToLower(e.Key); key {
	case "license":
		return "the terms for all pages"
	case "content-signal", "content-usage":
		var all []string
		for _, u := range e.says {
			all = append(all, u.Text())
		}
		switch {
		case !e.states:
			return "nothing: see polite lint"
		case len(all) == 0:
			return verb.Count(e.more, "use") + ", too many to tell"
		case e.more > 0:
			all = append(all, fmt.Sprintf("and %d more", e.more))
		}
		return strings.Join(all, ", ") + " on " + cmp.Or(e.path, "all pages")
	}
	return ""
}

func recordJSON(file string, r entry) string {
	return verb.JSONLine(struct {
		File   string       `json:"file,omitempty"`
		Line   int          `json:"line"`
		Key    string       `json:"key"`
		Value  string       `json:"value"`
		Agents []string     `json:"agents,omitempty"`
		As     int          `json:"as,omitempty"`
		Path   string       `json:"path,omitempty"`
		Says   []report.Use `json:"says,omitempty"`
		More   int          `json:"more_uses,omitempty"`
		Again  int          `json:"again,omitempty"`
	}{file, r.Line, r.Key, r.Value, names(r.agents), r.as, r.path, r.says, r.more, r.again})
}

// sitemapsOf tells the sitemaps that a robots.txt names. It tells warnings what it leaves out.
func (o options) sitemapsOf(s input.Source, warnings io.Writer) string {
	var b strings.Builder
	for written := range robots.Parse(s.Body).Sitemaps() {
		sitemap, ok := sitemapURL(written, s.URL)
		switch {
		case !ok:
			fmt.Fprintln(warnings, "polite records: left out, as it is no absolute http or https URL:", terminal.Excerpt(written))
		case o.json && o.many:
			b.WriteString(verb.JSONLine(map[string]string{"sitemap": sitemap, "file": s.Name}))
		case o.json:
			b.WriteString(verb.JSONLine(map[string]string{"sitemap": sitemap}))
		default:
			b.WriteString(sitemap + "\n")
		}
	}
	return b.String()
}

// sitemapURL returns the URL that a sitemap record names, and whether it can be
// fetched. If base is not nil, it completes a relative URL. All that RFC 3986 allows
// nowhere is percent-encoded, because it may mean something to the next command of a
// pipe, as [1-9] does to curl. So is "'", which xargs takes for a quotation mark.
func sitemapURL(written string, base *url.URL) (sitemap string, ok bool) {
	u, err := url.Parse(written)
	if err != nil {
		return "", false
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	o, err := origin.OfURL(u)
	if !origin.IsHTTP(u) || err != nil || strings.ContainsFunc(o.Host, isNotOfHost) {
		return "", false
	}
	if strings.ContainsFunc(u.Host, func(r rune) bool { return r >= 0x80 }) {
		u.Host = o.RobotsURL().Host // in ASCII
	}
	u.RawPath, u.RawQuery = percentEncoded(u.EscapedPath()), percentEncoded(u.RawQuery)
	return u.String(), true
}

// isNotOfHost reports whether r occurs in no name or address of a host.
func isNotOfHost(r rune) bool { return !isAlphanumeric(r) && !strings.ContainsRune("-._:", r) }

// percentEncoded returns a path or a query with only the characters that it may have
// (RFC 3986 §3.3, §3.4), but for "'".
func percentEncoded(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if isAlphanumeric(rune(c)) || strings.IndexByte("-._~!$&()*+,;=:@/?%", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func isAlphanumeric(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}

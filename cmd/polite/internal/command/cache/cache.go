// Package cache is the verb of this name.
package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/spf13/cobra"
)

// Verb returns "polite cache".
func Verb(std verb.Streams) *cobra.Command {
	var asJSON bool
	all := &cobra.Command{
		Use: "cache", Short: "tell what polite remembers of sites", SuggestionsMinimumDistance: 2,
		RunE: func(c *cobra.Command, _ []string) error { return tellCache(c.Context(), std.Out, asJSON) },
	}
	list := &cobra.Command{
		Use: "list", Short: "list the answers of sites",
		Long: "Lists how long ago each site answered, the HTTP status, the bytes of its\nrobots.txt, and the crawler that asked.",
		RunE: func(c *cobra.Command, _ []string) error { return listCache(c.Context(), std, asJSON) },
	}
	forget := &cobra.Command{
		Use: "clear", Short: "delete all that is kept",
		RunE: func(*cobra.Command, []string) error { return clearCache(std.Out) },
	}
	all.Flags().BoolVar(&asJSON, "json", false, "write a JSON object")
	list.Flags().BoolVar(&asJSON, "json", false, "write a JSON object a line")
	all.AddCommand(list, forget)
	return all
}

func clearCache(w io.Writer) error {
	name, err := cachefile.Clear()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		folder, failed := cachefile.Pages()
		if failed == nil {
			failed = folder.Clear()
		}
		err = cmp.Or(failed, err)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = fmt.Fprintln(w, "there is no cache")
	case err == nil:
		_, err = fmt.Fprintln(w, "cleared", printable.Text(name))
	}
	return err
}

// mostCrawler is the widest column of crawlers. A file may hold names of any length.
const mostCrawler = 40

// listCache lists the sites in the cache, a line each.
func listCache(ctx context.Context, std verb.Streams, asJSON bool) error {
	n, width := 0, len("crawler") // of the column
	if _, err := eachKept(ctx, func(s cachefile.Site) error {
		n, width = n+1, max(width, min(utf8.RuneCountInString(printable.URL(s.Crawler)), mostCrawler))
		return nil
	}); err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(std.Err, "polite cache: nothing is kept")
		return nil
	}
	if !asJSON {
		if _, err := fmt.Fprintf(std.Out, " age  status   bytes  %-*s  site\n", width, "crawler"); err != nil {
			return err
		}
	}
	_, err := eachKept(ctx, func(s cachefile.Site) error {
		text := siteLine(s, width)
		if asJSON {
			text = siteJSON(s)
		}
		_, err := io.WriteString(std.Out, text)
		return err
	})
	return err
}

// siteLine tells what is kept of a site.
func siteLine(s cachefile.Site, width int) string {
	age, status, bytes := span(s.Age), "none", 0
	if a := s.Answer; a != nil {
		age, status, bytes = span(s.Since()), fmt.Sprint(a.Status), len(a.Body)
	}
	line := fmt.Sprintf("%4s  %-6s  %6d  %-*s  %s", age, status, bytes, width, printable.URL(s.Crawler), printable.URL(s.Origin))
	if trouble := trouble(s); trouble != "" {
		line += "  " + printable.Text(trouble)
	}
	return line + "\n"
}

// trouble tells what is wrong with what is kept. It is "" if nothing is.
func trouble(s cachefile.Site) string {
	switch {
	case s.Err != nil:
		return s.Err.Error()
	case s.Failure == nil:
		return ""
	case s.Failure.Err != "":
		return "could not be fetched: " + s.Failure.Err
	default:
		return strings.TrimSpace(fmt.Sprintf("answered %d %s", s.Failure.Status, http.StatusText(s.Failure.Status)))
	}
}

// span tells a time in one unit. A negative time is not known.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 0:
		return "?"
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < day:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return fmt.Sprintf("%dd", d/day)
	}
}

// siteJSON tells what is kept of a site as a JSON object. The documentation of the
// command describes it.
func siteJSON(s cachefile.Site) string {
	var r struct {
		Origin  string    `json:"origin"`
		Agent   string    `json:"agent"`
		Status  int       `json:"robots_status,omitempty"`
		Hops    []string  `json:"robots_hops,omitempty"`
		Bytes   int       `json:"robots_bytes"`
		Fetched time.Time `json:"robots_fetched,omitzero"`
		Error   string    `json:"robots_error,omitempty"`
	}
	r.Origin, r.Agent, r.Error = printable.URL(s.Origin), s.Crawler, printable.Text(trouble(s))
	if a := s.Answer; a != nil {
		r.Status, r.Hops, r.Bytes, r.Fetched = a.Status, a.Hops, len(a.Body), before(s.Since())
	}
	return verb.JSONLine(r)
}

// before returns when a time ago was. It is zero if the time is not known.
func before(ago time.Duration) time.Time {
	if ago < 0 {
		return time.Time{}
	}
	return time.Now().Add(-ago).UTC().Round(time.Second)
}

// tellCache tells where the cache is, and how much is in it.
func tellCache(ctx context.Context, w io.Writer, asJSON bool) error {
	var all sum
	file, err := eachKept(ctx, func(s cachefile.Site) error {
		all.add(s)
		return nil
	})
	if err != nil {
		return err
	}
	folder, err := cachefile.Pages()
	if err != nil {
		return err
	}
	if all.Pages, all.PageBytes, err = folder.Size(); err != nil {
		return err
	}
	tell := all.text
	if asJSON {
		tell = all.json
	}
	_, err = io.WriteString(w, tell(file))
	return err
}

// A sum is how much is kept.
type sum struct {
	Answers int `json:"answers"`
	Files   int `json:"files"`
	Without int `json:"without"`
	Failed  int `json:"failed"`
	Damaged int `json:"damaged"`

	Pages     int   `json:"pages"`
	PageBytes int64 `json:"page_bytes"`

	dated          bool // there are an oldest and a newest answer
	oldest, newest time.Duration
}

// add counts what is kept of a site.
func (k *sum) add(s cachefile.Site) {
	k.Answers++
	switch {
	case s.Err != nil:
		k.Damaged++
	case s.Answer == nil:
		k.Failed++
	case s.Answer.Status/100 == 2:
		k.Files++
	default:
		k.Without++
	}
	if age := s.Since(); age >= 0 {
		if !k.dated {
			k.oldest, k.newest, k.dated = age, age, true
		}
		k.oldest, k.newest = max(k.oldest, age), min(k.newest, age)
	}
}

// text tells how much is kept in a file.
func (k *sum) text(f *cachefile.File) string {
	var b strings.Builder
	tell := func(name, text string) { fmt.Fprintf(&b, "%-7s  %s\n", name, text) }
	tell("file", printable.Text(f.Name))
	tell("size", fmt.Sprintf("%d bytes", f.Bytes))
	if k.Pages > 0 {
		tell("pages", fmt.Sprintf("%d, of %d bytes", k.Pages, k.PageBytes))
	}
	if k.Answers == 0 {
		tell("answers", "none")
		return b.String()
	}
	parts := fmt.Sprintf("%d: %d with robots.txt, %d without, %d could not be fetched", k.Answers, k.Files, k.Without, k.Failed)
	if k.Damaged > 0 {
		parts += fmt.Sprintf(", %d damaged", k.Damaged)
	}
	tell("answers", parts)
	if k.dated {
		tell("oldest", span(k.oldest))
		tell("newest", span(k.newest))
	}
	return b.String()
}

// json tells how much is kept in a file as a JSON object. The documentation of the
// command describes it.
func (k *sum) json(f *cachefile.File) string {
	r := struct {
		File  string `json:"file"`
		Bytes int64  `json:"bytes"`
		*sum
		Oldest time.Time `json:"oldest,omitzero"`
		Newest time.Time `json:"newest,omitzero"`
	}{File: f.Name, Bytes: f.Bytes, sum: k}
	if k.dated {
		r.Oldest, r.Newest = before(k.oldest), before(k.newest)
	}
	return verb.JSONLine(r)
}

// eachKept calls do for each site in the cache, and returns the file, closed.
func eachKept(ctx context.Context, do func(cachefile.Site) error) (*cachefile.File, error) {
	file, err := cachefile.Look()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for site, err := range file.Sites() {
		if err = cmp.Or(err, context.Cause(ctx)); err == nil {
			err = do(site)
		}
		if err != nil {
			return nil, err
		}
	}
	return file, nil
}

package report

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// A CacheList lists what is kept of sites, a line each.
type CacheList struct{ crawler int } // the width of a column

// mostCrawler is the widest column. A file may hold names of any length.
const mostCrawler = 40

// Fit makes room for the crawler of a site.
func (l *CacheList) Fit(s cachefile.Site) {
	l.crawler = max(l.crawler, min(utf8.RuneCountInString(printable.URL(s.Crawler)), mostCrawler))
}

// Head returns the heading of the lines.
func (l *CacheList) Head() string {
	return fmt.Sprintf(" age  status   bytes  %-*s  site\n", max(l.crawler, len("crawler")), "crawler")
}

// Line tells what is kept of a site.
func (l *CacheList) Line(s cachefile.Site) string {
	age, status, bytes := span(s.Age), "none", 0
	if a := s.Answer; a != nil {
		age, status, bytes = span(s.Since()), fmt.Sprint(a.Status), len(a.Body)
	}
	line := fmt.Sprintf("%4s  %-6s  %6d  %-*s  %s", age, status, bytes, max(l.crawler, len("crawler")), printable.URL(s.Crawler), printable.URL(s.Origin))
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

// CacheJSON tells what is kept of a site as a JSON object. The documentation of the
// command describes it.
func CacheJSON(s cachefile.Site) string {
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
	return toSecond(time.Now().Add(-ago))
}

// A CacheSum is how much is kept.
type CacheSum struct {
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

// Add counts what is kept of a site.
func (k *CacheSum) Add(s cachefile.Site) {
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

// Text tells how much is kept in a file.
func (k *CacheSum) Text(f *cachefile.File) string {
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

// JSON tells how much is kept in a file as a JSON object. The documentation of the
// command describes it.
func (k *CacheSum) JSON(f *cachefile.File) string {
	r := struct {
		File  string `json:"file"`
		Bytes int64  `json:"bytes"`
		*CacheSum
		Oldest time.Time `json:"oldest,omitzero"`
		Newest time.Time `json:"newest,omitzero"`
	}{File: f.Name, Bytes: f.Bytes, CacheSum: k}
	if k.dated {
		r.Oldest, r.Newest = before(k.oldest), before(k.newest)
	}
	return verb.JSONLine(r)
}

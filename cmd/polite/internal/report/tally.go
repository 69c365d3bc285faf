package report

import (
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// A Tally counts the URLs of a get.
type Tally struct {
	urls, missed int
	left         bool  // some were not even tried
	open         bool  // nobody knows how many are left
	err          error // why they were left
}

// Add counts a URL that was fetched, or not.
func (t *Tally) Add(fetched bool) {
	t.urls++
	if !fetched {
		t.missed++
	}
}

// IsEmpty reports whether no URL was counted, tried or not.
func (t *Tally) IsEmpty() bool { return t.urls == 0 && !t.left }

// Leave counts a URL that was not tried, because of err. A list that cannot be read on is no
// URL.
func (t *Tally) Leave(q judge.Question, err error) {
	t.left, t.err = true, err
	if q.URL == nil {
		t.open = true
		return
	}
	t.Add(false)
}

// Status returns the status for the URLs that were not tried.
func (t *Tally) Status() verb.Status {
	if t.left {
		return verb.Failed
	}
	return verb.OK
}

// Tally tells how many of several URLs were not fetched, if some were not.
func (r Report) Tally(t Tally) {
	switch {
	case t.missed == 0 && !t.left, t.urls == 1 && !t.left:
	case r.JSON:
		io.WriteString(r.W, verb.JSONLine(struct {
			NotFetched int    `json:"not_fetched"`
			URLs       int    `json:"urls"`
			Error      string `json:"error,omitempty"`
		}{t.missed, t.urls, verb.Message(t.err)}))
	default:
		r.Failure(t.told())
	}
}

func (t *Tally) told() error {
	were := "were"
	if t.missed == 1 {
		were = "was"
	}
	text := fmt.Sprintf("%d of %s %s not fetched", t.missed, verb.Count(t.urls, "URL"), were)
	if t.open {
		text += ", nor was the rest of standard input"
	}
	if t.err == nil {
		return errors.New(text)
	}
	return fmt.Errorf("%s: %w", text, t.err)
}

// Skipped tells that a page is not fetched, as its file is there.
func (r Report) Skipped(u *url.URL, file string) {
	switch {
	case r.Quiet:
	case r.JSON:
		io.WriteString(r.W, verb.JSONLine(struct {
			URL     string `json:"url"`
			Skipped bool   `json:"skipped"`
			File    string `json:"file"`
		}{u.Redacted(), true, file}))
	default:
		fmt.Fprintln(r.W, printable.Text(fmt.Sprintf("%-11s      %s  %q is there", "skipped", printable.URL(u.Redacted()), file)))
	}
}

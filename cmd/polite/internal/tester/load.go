package tester

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

type loadAnswer struct {
	URL       string         `json:"url"`
	Body      []byte         `json:"body"` // base64; null if there are no rules to go by
	Entries   []report.Entry `json:"entries"`
	Meaning   string         `json:"meaning"`
	Truncated bool           `json:"truncated"`
	Error     string         `json:"error"` // why the site gave no answer
}

// What package polite makes of an answer.
const (
	rulesMean   = "rules"
	allowsAll   = "everything is allowed"
	allowsNone  = "nothing may be fetched"
	longestLoad = time.Minute
)

// Sites are how sites are asked.
type Sites struct {
	Base  http.RoundTripper
	Cache func(context.Context) (cache *polite.Cache, end func()) // where their answers are kept
}

// load asks a site for its robots.txt, as "polite check" does.
func (s Sites) load(ctx context.Context, site string) (loadAnswer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longestLoad, errors.New("the site takes too long"))
	defer cancel()
	q := input.Question(input.WithScheme(site), false)
	if q.Err != nil {
		return loadAnswer{}, bad("%w", q.Err)
	}
	q.URL.Path, q.URL.RawPath, q.URL.RawQuery = "/", "", "" // what the page is does not matter
	tap := &robotstxt.Tap{Base: s.Base}
	tokens, err := judge.ParseAgent(verb.UserAgent())
	if err != nil {
		return loadAnswer{}, err
	}
	cache, end := s.Cache(ctx)
	defer end()
	j := judge.New(judge.Options{Crawlers: [][]string{tokens}, Base: tap, Cache: cache})
	v := j.Judge(ctx, q)[0]
	if v.Err != nil {
		return loadAnswer{}, bad("%s could not be loaded: %w", printable.URL(q.Name), v.Err)
	}
	return loaded(v, tap), nil
}

func loaded(v judge.Verdict, tap *robotstxt.Tap) loadAnswer {
	d := v.Decision
	a := loadAnswer{URL: d.RobotsURL, Truncated: d.Truncated, Meaning: meaning(d)}
	for _, e := range report.StoryOf(v).Entries {
		if e.Name == "robots.txt" {
			a.Entries = append(a.Entries, e)
		}
	}
	if text := tap.Text(d); text != nil && a.Meaning == rulesMean {
		a.Body = text.Body
	}
	if a.Meaning == allowsNone {
		a.Error = fmt.Sprintf("robots.txt %s", report.Answer(d))
	}
	return a
}

func meaning(d polite.Decision) string {
	switch {
	case d.Reason == polite.ReasonRule || d.Reason == polite.ReasonNoRule:
		return rulesMean
	case d.Allowed:
		return allowsAll
	default:
		return allowsNone
	}
}

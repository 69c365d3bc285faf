package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
)

// A judge tells what robots.txt means for URLs, to some crawlers. It asks the
// transports of package polite, so that it is what they would do; but for those of
// Google's crawlers that do otherwise.
type judge struct {
	crawlers []crawler
	tap      *tap        // what they ask through
	file     string      // the robots.txt to go by; "" if sites are asked
	text     *robotsText // of that
}

type crawler struct {
	tokens    []string
	transport *polite.Transport
}

// judgeFor returns a judge for crawlers with these product tokens, which asks
// through base.
func judgeFor(crawlers [][]string, base http.RoundTripper) *judge {
	j := &judge{tap: &tap{base: base}}
	cache := new(polite.Cache) // so that a site is asked once for all of them
	for _, tokens := range crawlers {
		j.crawlers = append(j.crawlers, crawler{tokens, &polite.Transport{
			UserAgent: userAgent(), Agents: tokens, Base: j.tap, Cache: cache,
		}})
	}
	return j
}

// explain makes the judge tell more than the decisions.
func (j *judge) explain() { j.tap.keeps = true }

// goBy makes a file the robots.txt of every site.
func (j *judge) goBy(ctx context.Context, name string, std stdio) error {
	source, err := readFile(ctx, name, std)
	if err != nil {
		return err
	}
	j.file, j.text = source.name, newText(source.body)
	j.tap.base = file(source.body)
	return nil
}

// on returns the function that judges a question for each crawler.
func (j *judge) on(ctx context.Context) func(question) []verdict {
	return func(q question) []verdict {
		var verdicts []verdict
		for _, c := range j.crawlers {
			verdicts = append(verdicts, j.judge(ctx, q, c))
		}
		return verdicts
	}
}

// A verdict is what robots.txt means for a URL and a crawler.
type verdict struct {
	url      string
	tokens   []string // of the crawler
	decision polite.Decision
	err      error // why there is no decision
	explanation
}

func (v verdict) status() exitStatus {
	if v.err != nil {
		return exitFailed
	}
	return statusOf(v.decision)
}

func (j *judge) judge(ctx context.Context, q question, c crawler) verdict {
	v := verdict{url: q.name, tokens: c.tokens, err: q.err}
	if v.err != nil {
		return v
	}
	d, err := c.transport.Check(ctx, q.url)
	if err != nil {
		v.err = err
		return v
	}
	if j.tap.keeps {
		v.explanation = explain(d, j.textOf(d), c.tokens, q.url.RequestURI())
	}
	if ignoresDelay(c.tokens[0]) {
		d.Delay = 0
	}
	if d.Group == "*" && ignoresEveryone(c.tokens[0]) {
		d, v.explanation = withoutGroup(d), explanation{}
	}
	if j.file != "" {
		d = ofFile(d, j.file, q)
	}
	v.decision = d
	return v
}

// withoutGroup returns d as it would be if no group spoke to the crawler.
func withoutGroup(d polite.Decision) polite.Decision {
	d.Allowed, d.Reason = true, polite.NoRule
	d.Group, d.Rule = "", robots.Rule{}
	d.Delay, d.SiteDelay = 0, 0
	return d
}

// textOf returns the text of the robots.txt that d rests on, or nil if that is
// not at hand.
func (j *judge) textOf(d polite.Decision) *robotsText {
	if j.text != nil {
		return j.text
	}
	url := d.RobotsURL
	if len(d.Hops) > 0 {
		url = d.Hops[len(d.Hops)-1]
	}
	return j.tap.text(url)
}

// ofFile returns d, which is about q, without what only a site has.
func ofFile(d polite.Decision, file string, q question) polite.Decision {
	if strings.HasPrefix(q.name, "/") {
		d.Origin = ""
	}
	d.RobotsURL, d.Status = file, 0
	d.Fetched, d.Next = time.Time{}, time.Time{}
	return d
}

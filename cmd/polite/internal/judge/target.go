package judge

import (
	"context"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// A Target is a question whose URL has been read. It can be asked of many files.
type Target struct {
	Question
	path string // and its query, as they are sent; "" if rules alone do not decide
}

// TargetOf reads the URL of a question.
func TargetOf(q Question) Target {
	if q.Err != nil {
		return Target{Question: q}
	}
	if _, path, ok := ruled(q.URL); ok {
		return Target{q, path}
	}
	return Target{Question: q}
}

// Rule returns the rule that decides on a target, for the crawler at an index of the options.
// If the rule is zero, the target is allowed. It is for a Judge with a File, and is the rule of
// the verdict, without all else that a verdict has.
func (j *Judge) Rule(ctx context.Context, t Target, crawler int) (robots.Rule, error) {
	c := j.crawlers[crawler]
	if t.path == "" {
		v := j.asCrawler(j.judge(ctx, t.Question, c, decided))
		return v.Decision.Rule, v.Err
	}
	if c.unnamed() && crawlers.IgnoresEveryone(c.tokens[0]) {
		return robots.Rule{}, nil
	}
	rule, _ := c.reading.rules.Match(t.path)
	return rule, nil
}

package polite

import (
	"context"
	"net/http"
)

// A judge finds out what robots.txt means for a request.
type judge struct {
	agents []string
	policy *Policy
	asker  asker
	line   *line
}

// judge fills in v: what the robots.txt of the site means for target. The method plays
// no part.
func (j *judge) judge(ctx context.Context, to *site, target string, v *verdict) (err error) {
	if to.why != "" {
		v.allowed, v.reason = true, to.why
		return nil
	}
	if v.entry, v.lookup, err = j.asker.known(ctx, to); err == nil {
		j.evaluate(target, v)
	}
	return err
}

// judgeAgain is judge for a request that has waited since. It reports whether v means
// something else now. If the turn of the request has come, it uses only what is up to
// date.
func (j *judge) judgeAgain(ctx context.Context, to *site, target string, v *verdict, come bool) (changed bool, err error) {
	e, err := j.asker.knownNow(ctx, to, come)
	if err != nil {
		return false, err
	}
	last := *v
	*v = verdict{entry: e, lookup: last.lookup, again: true}
	j.evaluate(target, v)
	return v.differs(&last), nil
}

func (j *judge) evaluate(target string, v *verdict) {
	v.judge(j.policy, j.agents, target, j.line.cache)
	j.line.cache.memory.recount(v.entry.file)
}

// ruling returns v in short. It can tell all about it as long as the caller likes.
func (j *judge) ruling(req *http.Request, to *site, v *verdict) Ruling {
	of := struct {
		to site
		verdict
	}{*to, *v}
	return Ruling{v.allowed, v.reason, v.lookup, v.again, func() Decision { return j.decision(req, &of.to, &of.verdict) }}
}

// decision tells all about a verdict on req.
func (j *judge) decision(req *http.Request, to *site, v *verdict) Decision {
	d := v.decision(req, to, j.agents, j.policy, j.line.cache)
	if !to.exempt {
		j.line.describe(&d, to, v)
	}
	return d
}

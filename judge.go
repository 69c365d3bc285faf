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

// judge fills in what is known of to and means for target, and reports whether that
// is new: v was not judged by it before. Once the turn of a request has come, what is
// known must be up to date.
func (j *judge) judge(ctx context.Context, to *site, target string, v *verdict, come bool) (isNew bool, err error) {
	if to.why != "" {
		v.allowed, v.reason = true, to.why
		return true, nil
	}
	e, err := j.asker.known(ctx, to, come)
	if err != nil {
		return false, err
	}
	if v.entry != nil {
		if v.entry.file != nil && v.entry.file == e.file {
			v.entry = e
			return false, nil
		}
		*v = verdict{}
	}
	v.entry = e
	v.judge(j.policy, j.agents, target, j.line.cache)
	j.line.cache.recount(e.file)
	return true, nil
}

// decision tells all about a verdict on req.
func (j *judge) decision(req *http.Request, to *site, v *verdict) Decision {
	d := v.decision(req.URL, to, j.agents, j.policy, j.line.cache)
	if !to.exempt {
		j.line.describe(&d, to, v)
	}
	return d
}

package otelpolite

import (
	"github.com/go-polite/polite"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// rulings has the options with which requests are counted. They are made once, because
// each request needs some.
type rulings map[rulingKind][]metric.AddOption

type rulingKind struct {
	reason  polite.Reason
	allowed bool
}

func newRulings() rulings {
	all := make(rulings)
	for _, reason := range []polite.Reason{
		polite.ReasonNotHTTP, polite.ReasonExempt, polite.ReasonRobotsTxt, polite.ReasonRule, polite.ReasonNoRule, polite.ReasonUnavailable, polite.ReasonUnreachable,
	} {
		for _, allowed := range []bool{true, false} {
			all[rulingKind{reason, allowed}] = optionsOf(polite.Ruling{Allowed: allowed, Reason: reason})
		}
	}
	return all
}

// of returns the options for r.
func (rs rulings) of(r polite.Ruling) []metric.AddOption {
	if options, ok := rs[rulingKind{r.Reason, r.Allowed}]; ok {
		return options
	}
	return optionsOf(r)
}

func optionsOf(r polite.Ruling) []metric.AddOption {
	return []metric.AddOption{with(rulingAttributes(r)...)}
}

func rulingAttributes(r polite.Ruling) []attribute.KeyValue {
	return []attribute.KeyValue{reasonKey.String(string(r.Reason)), allowedKey.Bool(r.Allowed)}
}

package polite

import (
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A lane is what requests take turns by: an origin, or what Pace.Key returns.
type lane struct {
	origin origin.Origin
	key    string
}

// own returns a copy of l that keeps nothing else alive.
func (l lane) own() lane { return lane{own(l.origin), strings.Clone(l.key)} }

// own returns a copy of o that does not keep the URL that it is a part of.
func own(o origin.Origin) origin.Origin {
	o.Host, o.Dial = strings.Clone(o.Host), strings.Clone(o.Dial)
	return o
}

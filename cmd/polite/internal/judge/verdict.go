package judge

import (
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots/usage"
)

// A Verdict is what robots.txt means for a URL and a crawler.
type Verdict struct {
	URL      string   // as it is shown
	Tokens   []string // the crawler's product tokens
	Decision polite.Decision
	Err      error           // why there is no decision
	Usage    usage.Statement // what the site says of the page, if it may be fetched
	Explanation
}

// A GroupReason says why a group speaks to a crawler.
type GroupReason string

const (
	OwnToken      GroupReason = "own-token"
	FallbackToken GroupReason = "fallback-token"
	Everyone      GroupReason = "everyone"
	NoGroup       GroupReason = "none"
)

// GroupReason returns why the group speaks. It is "" if no file was read.
func (v Verdict) GroupReason() GroupReason {
	d := v.Decision
	switch {
	case !readRules(d):
		return ""
	case d.Group == "":
		return NoGroup
	case d.Group == "*":
		return Everyone
	case strings.EqualFold(d.Group, v.Tokens[0]):
		return OwnToken
	default:
		return FallbackToken
	}
}

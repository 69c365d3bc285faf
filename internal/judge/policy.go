package judge

import "github.com/go-polite/polite/robots/usage"

// A Policy says what is allowed where RFC 9309 leaves a choice.
type Policy struct {
	Denies      [silences]bool // whether a site without rules allows nothing
	EndsOutages bool           // after 30 days an outage is a LongOutage
	FoldPaths   bool           // judge also the path as most servers read it
	Purposes    []usage.Use    // what the pages are for
	ReadSlips   bool           // a slip that means no says no
}

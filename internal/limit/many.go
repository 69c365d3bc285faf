package limit

import "time"

// A lane of many sites is above theirs: that of all sites at one address, for example. It learns
// whether all are down, by a row of failures of sites that were well. It has no window and no rate,
// since nobody knows whether a slow page, or a refusal, is a matter of all sites or of one.

// A Witness is what the site of a bad answer was like before.
type Witness uint8

const (
	NoWitness Witness = iota // the lane is that of one site
	Stranger                 // it was never well, or has trouble or a limit of its own: it says nothing of others
	Shaken                   // its last answer was bad, too, and counted
	Well                     // its last answer was good
)

// longestMany is the longest break of many sites together.
const longestMany = 30 * time.Second

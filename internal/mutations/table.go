package main

import "slices"

// conduct has the tests of how polite behaves, seen from outside.
const conduct = "internal/conduct"

// table returns all mutations.
func table() []mutation { return slices.Concat(ofLimit, ofLanes, ofTurns, ofRobots, ofStores) }

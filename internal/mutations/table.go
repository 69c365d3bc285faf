package main

import "slices"

// table returns all mutations.
func table() []mutation { return slices.Concat(ofLimit, ofLanes, ofTurns, ofRobots, ofStores, ofQueue) }

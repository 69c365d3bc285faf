package boltstore

import "time"

// At returns options with a time of day of the test's own.
func (o Options) At(wall func() time.Time) Options {
	o.wall = wall
	return o
}

package store

import (
	"context"
	"time"
)

// A Teacher is a [Turns] by which processes also tell each other what they have learned about the limit
// of a site. polite uses a Teacher if Cache.Turns is one, or wraps one: see [As]. Without one,
// processes share the breaks of a site, and each finds its limit alone.
type Teacher interface {
	Turns

	// Teach does what Break does, unless wait is zero. Besides, each Watch then tells lesson in a Change
	// of the lane, with the time that is left of the break. The Teacher keeps the newest lesson of each
	// lane for keep, if it has room. A Watch that begins meanwhile tells this lesson before its first
	// zero Change.
	//
	// A lesson is up to 255 octets, which a Teacher does not read. A Teacher does not tell a longer
	// lesson. polite checks each lesson that it is told. A lost lesson does no harm: a process that has
	// not heard it learns the same from the site.
	Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error
}

// LongestLesson is how many octets a lesson may have.
const LongestLesson = 255

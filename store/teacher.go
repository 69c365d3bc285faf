package store

import (
	"context"
	"time"
)

// A Teacher is a [Turns] by which processes also tell each other what they have learned of
// what a site bears. polite uses a Teacher if Cache.Turns is one, or wraps one: see [As]. Without one,
// processes share the breaks of a site, and each finds its limit alone.
type Teacher interface {
	Turns

	// Teach does what Break does, unless wait is zero. Besides, it lets each Watch of the
	// lane tell lesson in a Change, with what is left of the break. It keeps the newest
	// lesson of each lane for keep, if it has room: a Watch that begins meanwhile tells it
	// before its first zero Change.
	//
	// A lesson is up to 255 octets, which a Teacher does not read. Of a longer one it tells
	// nothing. polite checks each lesson that it is told, and a lost one does no harm:
	// a process that has not heard it learns it from the site.
	Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error
}

// LongestLesson is how many octets a lesson may have.
const LongestLesson = 255

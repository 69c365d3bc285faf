package store

import "context"

// A Reporter is a [Turns] by which processes also tell each other how they are. Processes that are
// configured differently, as while a new version is rolled out, may together break a limit that each of
// them keeps. polite uses a Reporter if Cache.Turns is one, or wraps one: see [As].
type Reporter interface {
	Turns

	// Report does what Watch does. Besides, it calls status now and then, also soon after the first zero
	// Change. It tells the Status to the other processes, which know it until a while after Report has
	// returned.
	//
	// While another process tells a Status whose Profile differs, Report calls f with a Change that has
	// the Profile of the other, at least once in five seconds. If there are many such Profiles, Report
	// tells of some. A Profile and a Health are short. Report may cut a Health that is longer than 1,024
	// octets, and tells nothing of a process whose Profile is longer. status returns soon. Several
	// goroutines may call it.
	Report(ctx context.Context, status func() Status, f func(Change)) error
}

// A Status is what a process tells of itself.
type Status struct {
	Profile string // how it is configured; equal in processes that are configured alike
	Health  string // how it fares, for its operators
}

package store

import "context"

// A Reporter is a [Turns] by which processes also tell each other how they are. Processes
// that are configured differently break together what each of them keeps to, as while a new
// version is rolled out. polite uses a Reporter if Cache.Turns is one, or wraps one: see [As].
type Reporter interface {
	Turns

	// Report does what Watch does. Besides, it calls status now and then, also soon after the
	// first zero Change, and tells the other processes what it returns. They know it until a
	// while after Report has returned.
	//
	// While another process tells a Status with another Profile than this one, Report calls
	// f with a Change that has this Profile, again and again: at least once in five
	// seconds. If there are many such Profiles, it tells of some. Texts are short. Report
	// may cut a Health that is longer than 1,024 octets. Of a process with a longer Profile
	// it tells nothing. status returns soon; several goroutines may call it.
	Report(ctx context.Context, status func() Status, f func(Change)) error
}

// A Status is what a process tells of itself.
type Status struct {
	Profile string // how it is configured; equal in processes that are configured alike
	Health  string // how it is, for its operators
}

package main

import "time"

// An answer is what a controller learns of a request.
type answer struct {
	begun, now time.Duration
	page       page
	reply      reply
}

// A controller says when requests begin.
type controller interface {
	room(now time.Duration) bool          // one more may be under way
	next(now time.Duration) time.Duration // when it may begin
	begin(now time.Duration)              // one begins
	end(a answer)                         // one is answered
}

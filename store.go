package polite

import (
	"context"
	"errors"
	"time"
)

// A Store keeps what sites answered when polite asked for robots.txt: beyond the life of
// a process, or for several processes. Package boltstore keeps it in a file. Package
// storetest tests whether a Store of your own does what is said here.
//
// A Store keeps one record for a key. It does not read records and does not judge
// whether they are fresh. A [Cache] checks each record that a Store returns: a damaged
// one is as good as none. But whoever can write to a Store decides what polite may
// fetch.
//
// A key may be any text, also the empty one. All times are durations by the Store's clock.
// A negative one is the same as zero, and the largest is as good as without end. A Store
// is safe for concurrent use. Its methods return soon after ctx ends, and then the call
// may have had its effect.
type Store interface {
	// Claim returns the record of key, unless its version is seen. An empty seen is the
	// version of no record.
	//
	// If there is no record to return, Claim claims the right to fetch: it returns a
	// Token, or how long to Wait for the claim of another at most. No other claim has
	// had this Token, also before a restart. A claim ends with Put, or after lease. If
	// lease is zero, Claim only looks: it claims nothing and returns no Wait.
	Claim(ctx context.Context, key, seen string, lease time.Duration) (Claim, error)

	// Put replaces the record of key by a copy of record, and ends the claim. The
	// version of the record is token. After keep, the Store may delete the record. If
	// record is nil, Put only ends the claim. Put changes nothing and returns ErrLost
	// if token is not of the newest claim of key, or if that claim has ended.
	Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error
}

// A Claim is what [Store.Claim] returns. Record, Token and Wait are never set together.
// If none of them is, there is nothing to see.
type Claim struct {
	Record  []byte        // nobody changes it
	Version string        // of Record; empty if there is none
	Age     time.Duration // of Record since Put; negative if the Store's clock was set back since then
	Token   string        // this caller may fetch
	Wait    time.Duration // another may fetch, for no longer than this
}

// ErrLost is the error of [Store.Put] if the claim has ended, or if there is a newer one.
var ErrLost = errors.New("polite: the claim was lost")

const (
	// storeTimeout is the longest time that polite waits for a Store, or for Turns.
	storeTimeout = 5 * time.Second

	// longAge is longer than any time that they tell and that is of use.
	longAge = 10 * 365 * 24 * time.Hour
)

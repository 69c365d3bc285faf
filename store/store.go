package store

import (
	"context"
	"errors"
	"time"
)

// A Store keeps the answers of sites beyond the life of a process, or for several processes. These are
// the answers to requests for robots.txt, and for the tdmrep.json of Transport.Reservation.
//
// A Store keeps one entry for a key. An entry is bytes. The Store does not read them and
// does not judge whether they are fresh. A polite.Cache checks each entry that a Store
// returns: a damaged one is as good as none. But anyone who can write to a Store decides
// what polite may fetch.
//
// A key may be any text, also the empty one. All times are durations by the Store's clock. A negative
// duration is the same as zero, and the largest means without end. A Store is safe for concurrent use.
// Its methods return soon after ctx ends, and then the call may have had its effect.
type Store interface {
	// Claim returns the entry of key, unless its version equals seen. No entry has an empty version.
	//
	// If there is no entry to return, Claim claims the right to fetch. It returns a Token. If another
	// caller has the right already, Claim returns a Wait instead: the longest time until that claim ends.
	// A claim ends with Put, or after lease. A Token is never used twice, not even after a restart. If
	// lease is zero, Claim only looks: it claims nothing and returns no Wait.
	Claim(ctx context.Context, key, seen string, lease time.Duration) (Claim, error)

	// Put replaces the entry of key by a copy of entry, and ends the claim. The version
	// of the entry is token. After keep, the Store may delete the entry. If entry is nil,
	// Put only ends the claim; an entry that is empty and not nil is an entry. If token
	// is not the Token of the newest claim of key, or if that claim has ended, Put
	// changes nothing and returns ErrLost.
	Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error
}

// A Claim is what [Store.Claim] returns. It has one of three things: an Entry with its Version and Age,
// a Token, or a Wait. If Store.Claim only looks, and the Store has no other Entry than the one seen,
// the Claim is zero.
type Claim struct {
	Entry   []byte        // nobody changes it
	Version string        // of Entry; empty if there is no Entry here
	Age     time.Duration // of Entry since Put; negative if the Store's clock was set back since then
	Token   string        // this caller may fetch
	Wait    time.Duration // another caller may fetch, for no longer than this
}

// ErrLost is the error of [Store.Put] if the claim has ended, or if there is a newer one.
var ErrLost = errors.New("polite: the claim was lost")

// ErrClosed is the error of [Turns.Watch] if Turns is closed. Then polite does not call
// Watch again before the next request.
var ErrClosed = errors.New("the store is closed")

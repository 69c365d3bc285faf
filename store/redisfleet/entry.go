package redisfleet

import (
	"strings"
	"time"
)

// An Entry is what the server keeps for a key of [store.Store]: an entry, a claim, or both.
// See [Viewer.Entries].
type Entry struct {
	Key   string        // in the server
	Name  string        // the key of store.Store; empty if it is not known, as when there is an entry
	Bytes int           // of the value
	Kept  bool          // there is an entry
	Age   time.Duration // of the entry; negative if the clock was set back since then

	Claim time.Duration // how long yet another may fetch; zero: nobody fetches
	Token string        // of the claim

	Damaged bool // the value makes no sense: it is as good as none
}

// entryHead is the length of the fields before the octets of the entry: see
// scripts/entry.lua.
const entryHead = 101

// entryOf reads the beginning of the text of an entry, as entry.lua does. If there is no
// entry, the name follows.
func entryOf(key, text string, size int, now int64) Entry {
	r := Entry{Key: key, Bytes: size}
	if len(text) < entryHead {
		r.Damaged = true
		return r
	}
	put, ok := digits(text[:16])
	gone, ok1 := digits(text[16:32])
	ends, ok2 := digits(text[58:74])
	if r.Kept = ok && ok1 && gone > now; r.Kept {
		r.Age = duration(now - put)
	}
	if ok2 && ends > now && ends <= now+24*hour+hour {
		r.Claim, r.Token = duration(ends-now), text[74:100]
	}
	if strings.Trim(text[:32], "0") == "" {
		r.Name = text[entryHead:]
	}
	r.Damaged = !(ok && ok1 && ok2)
	return r
}

// digits returns the number that a text of up to 16 digits is.
func digits(text string) (n int64, ok bool) {
	if text == "" || len(text) > 16 || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	for _, digit := range []byte(text) {
		n = 10*n + int64(digit-'0')
	}
	return n, true
}

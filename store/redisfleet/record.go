package redisfleet

import (
	"strings"
	"time"
)

// A Record is what the server keeps under a key of [store.Store]: see [Viewer.Records].
// It has the record, a claim, or both.
type Record struct {
	Key   string        // in the server
	Name  string        // the key of store.Store; empty if it is not known, as when there is a record
	Bytes int           // of the value
	Kept  bool          // there is a record
	Age   time.Duration // of the record; negative if the clock was set back since then

	Claim time.Duration // how long yet another may fetch; zero: nobody fetches
	Token string        // of the claim

	Damaged bool // the value makes no sense: it is as good as none
}

// recordHead is the length of what precedes the record itself: see scripts/record.lua.
const recordHead = 101

// recordOf reads the beginning of the text of a record, as record.lua does. If there is no
// record, the name follows.
func recordOf(key, text string, size int, now int64) Record {
	r := Record{Key: key, Bytes: size}
	if len(text) < recordHead {
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
		r.Name = text[recordHead:]
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

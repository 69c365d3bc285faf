package redisfleet

import (
	"encoding/hex"
	"slices"
	"time"
)

// A Lane is a lane as the server keeps it: see [Viewer.Lanes]. All times count from now.
// Others may have written it, so a text in it may hold any bytes: make it printable
// before you show it.
type Lane struct {
	Key   string        // in the server
	Name  string        // as store.Turns has it; may be empty if the lane is damaged
	Bytes int           // of the value
	Wait  time.Duration // until the next start that nobody has reserved; zero: now
	Break time.Duration // until the end of the break; zero: there is none

	Starts []Start // that are reserved and still to come, the soonest first
	Slots  []Slot  // that are taken, in the order in which they were, also those that are kept for who waits
	Queue  int     // how many tokens wait for a slot

	Damaged bool // the value makes no sense: the next turn begins the lane again
}

// A Start is reserved by a token.
type Start struct {
	Token string        // what stands for the token: 16 hexadecimal digits
	Wait  time.Duration // until the start; it may come later by Slack
	Gap   time.Duration
	Slack time.Duration
}

// A Slot is taken by a token.
type Slot struct {
	Token string        // what stands for the token: 16 hexadecimal digits
	Left  time.Duration // of the lease, unless it is renewed
}

// Lengths in the text of a lane: see scripts/lane.lua.
const (
	tokenSize = 8
	slotSize  = tokenSize + numberSize
	startSize = 3*numberSize + tokenSize
	moreSize  = 1 + 3*numberSize // '!', when the break ends, how many slots follow, and how many wait
	waitSize  = tokenSize + 3*numberSize + 26

	hour = int64(time.Hour / time.Microsecond)
)

// laneOf reads the text of a lane, as take.lua does.
func laneOf(key, text string, now int64) Lane {
	l := Lane{Key: key, Bytes: len(text), Damaged: true}
	if len(text) < numberSize || numberAt(text) > now+hour {
		return l
	}
	ends, slots, rest, ok := l.more(text[numberSize:])
	if !ok {
		return l
	}
	name := 0
	for name+startSize <= len(rest) && rest[name] != anyTag && rest[name] != hostTag {
		name += startSize
	}
	if l.Name, ok = untagged(rest[name:]); !ok {
		return l
	}
	if ends > now && ends <= now+25*hour {
		l.Break = duration(ends - now)
	}
	l.Damaged = !l.readStarts(rest[:name], now)
	l.readSlots(slots, now)
	l.Wait = max(l.Wait, l.Break)
	return l
}

// more counts the queue, and returns the break and the slots of a lane, if it has any, and the rest of its text.
func (l *Lane) more(text string) (ends int64, slots, rest string, ok bool) {
	if text == "" || text[0] != '!' {
		return 0, "", text, true
	}
	if len(text) < moreSize {
		return 0, "", "", false
	}
	n, waiting, most := numberAt(text[1+numberSize:]), numberAt(text[1+2*numberSize:]), int64(len(text)-moreSize)
	if n > most/slotSize || waiting > (most-n*slotSize)/waitSize {
		return 0, "", "", false
	}
	l.Queue = int(waiting)
	end := moreSize + slotSize*int(n)
	return numberAt(text[1:]), text[moreSize:end], text[end+waitSize*int(waiting):], true
}

// readStarts reports whether the newest start makes sense: it decides when the next one is.
func (l *Lane) readStarts(text string, now int64) bool {
	for at := 0; at < len(text); at += startSize {
		s := text[at : at+startSize]
		over, gap, slack := numberAt(s), numberAt(s[numberSize:]), numberAt(s[2*numberSize:])
		if over > now+61*24*hour+hour || gap > 30*24*hour || slack > 24*hour {
			return at > 0
		}
		if at == 0 {
			l.Wait = max(duration(over+gap-now), 0)
		}
		if start := over - slack; start > now {
			l.Starts = append(l.Starts, Start{Token: tokenAt(s[3*numberSize:]), Wait: duration(start - now), Gap: duration(gap), Slack: duration(slack)})
		}
	}
	slices.Reverse(l.Starts)
	return true
}

func (l *Lane) readSlots(text string, now int64) {
	for at := 0; at < len(text); at += slotSize {
		if ends := numberAt(text[at+tokenSize:]); ends > now && ends <= now+25*hour {
			l.Slots = append(l.Slots, Slot{Token: tokenAt(text[at:]), Left: duration(ends - now)})
		}
	}
}

// tokenAt returns what stands for the token with which a text begins.
func tokenAt(text string) string { return hex.EncodeToString([]byte(text[:tokenSize])) }

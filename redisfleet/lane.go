package redisfleet

import (
	"slices"
	"strings"
	"time"
)

// A Lane is what the server keeps of a lane: see [Viewer.Lanes]. All times are left from
// now. Others may have written it, so a text in it may hold any bytes: make it printable
// before you show it.
type Lane struct {
	Key   string        // in the server
	Name  string        // as polite.Turns has it; may be empty if the lane is damaged
	Bytes int           // of the value
	Wait  time.Duration // until the next start that nobody has reserved; zero: now
	Break time.Duration // until the end of the break; zero: there is none

	Starts []Start // that are reserved and still to come, the soonest first
	Slots  []Slot  // that are taken, in the order in which they were

	Damaged bool // the value makes no sense: the next turn begins the lane again
}

// A Start is reserved by a token.
type Start struct {
	Token string
	Wait  time.Duration // until the start; it may come later by Slack
	Gap   time.Duration
	Slack time.Duration
}

// A Slot is held by a token.
type Slot struct {
	Token string
	Left  time.Duration // of the lease, unless it is renewed
}

// Lengths in the text of a lane: see scripts/lane.lua.
const (
	laneHead  = 38
	startSize = 64
	slotSize  = 42
	tokenSize = 26

	hour = int64(time.Hour / time.Microsecond)
)

// laneOf reads the text of a lane, as take.lua does.
func laneOf(key, text string, now int64) Lane {
	l := Lane{Key: key, Bytes: len(text), Damaged: true}
	if len(text) < laneHead {
		return l
	}
	written, ok := digits(text[:10])
	hold, ok1 := digits(text[10:26])
	n, ok2 := digits(text[26:32])
	m, ok3 := digits(text[32:38])
	slots := laneHead + startSize*int(n)
	name := slots + slotSize*int(m)
	if !(ok && ok1 && ok2 && ok3) || name > len(text) || written > (now+hour)/1e6 {
		return l
	}
	l.Name, l.Damaged = text[name:], false
	if hold > now && hold <= now+24*hour+hour {
		l.Break = duration(hold - now)
	}
	l.Damaged = !l.readStarts(text[laneHead:slots], now)
	l.readSlots(text[slots:name], now)
	l.Wait = max(l.Wait, l.Break)
	return l
}

// readStarts reports whether the newest start makes sense: it decides when the next one is.
func (l *Lane) readStarts(text string, now int64) bool {
	for at := 0; at < len(text); at += startSize {
		s := text[at : at+startSize]
		over, ok := digits(s[:16])
		gap, ok1 := digits(s[16:27])
		slack, ok2 := digits(s[27:38])
		if !(ok && ok1 && ok2) || over > now+8*24*hour+hour || gap > 24*hour || slack > 24*hour {
			return at > 0
		}
		if at == 0 {
			l.Wait = max(duration(over+gap-now), 0)
		}
		if start := over - slack; start > now {
			l.Starts = append(l.Starts, Start{Token: s[38:], Wait: duration(start - now), Gap: duration(gap), Slack: duration(slack)})
		}
	}
	slices.Reverse(l.Starts)
	return true
}

func (l *Lane) readSlots(text string, now int64) {
	for at := 0; at < len(text); at += slotSize {
		s := text[at : at+slotSize]
		if ends, ok := digits(s[tokenSize:]); ok && ends > now && ends <= now+24*hour+hour {
			l.Slots = append(l.Slots, Slot{Token: s[:tokenSize], Left: duration(ends - now)})
		}
	}
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

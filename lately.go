package polite

import (
	"crypto/sha256"
	"sync"
	"time"
)

// hushFor is how long what was told is not told again.
const hushFor = time.Minute

// lately knows what was told in the last minute.
type lately struct {
	mu   sync.Mutex
	told map[digest]*telling // by what was told, which may be long
}

type telling struct {
	until  time.Time
	others int // that came since
}

// mostLately is how many of them lately knows.
const mostLately = 1000

// note notes that something came. It reports whether it is the first in a while, and how
// many of the same came after the first of them before.
func (l *lately) note(what string, now time.Time) (first bool, others int) {
	key := digest(sha256.Sum256([]byte(what)))
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.told[key]
	if t == nil {
		t = new(telling)
		l.add(key, t)
	}
	if now.Before(t.until) {
		t.others++
		return false, 0
	}
	others, t.others, t.until = t.others, 0, now.Add(hushFor)
	return true, others
}

func (l *lately) add(key digest, t *telling) {
	if l.told == nil {
		l.told = make(map[digest]*telling)
	}
	for one := range l.told { // any
		if len(l.told) < mostLately {
			break
		}
		delete(l.told, one)
	}
	l.told[key] = t
}

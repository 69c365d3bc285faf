package redisfleet

import (
	"encoding/base64"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// deaf is how long after a beat was sent it must be heard.
const deaf = 2 * time.Second

// mostProfile is how many octets the profile of a process may have.
const mostProfile = 1 << 10

// An ear keeps news until Watch tells them.
type ear struct {
	news chan struct{} // gets a value when there is something

	mu    sync.Mutex
	heard heard
	count int64               // of the newest news that was heard
	sure  bool                // all up to count are known
	sent  int64               // the newest beat
	late  map[int64]time.Time // when beats were sent that are not heard yet
}

// heard is the news that an ear keeps.
type heard struct {
	breaks  map[string]time.Time      // when they end, by lane
	lessons map[string]string         // the newest, by lane
	others  map[store.Change]struct{} // entries that were replaced, tokens whose slots are kept, and profiles that differ
	missed  bool                      // there was more
	beat    bool                      // a beat was heard
}

func newEar() ear {
	return ear{news: make(chan struct{}, 1), heard: newHeard(), late: make(map[int64]time.Time)}
}

func newHeard() heard {
	return heard{breaks: make(map[string]time.Time), lessons: make(map[string]string), others: make(map[store.Change]struct{})}
}

// hear hears of a break: its count, its length in microseconds and its lane. Or it hears of an
// entry that was replaced: its count, "entry" and its key. Or it hears a lesson, which has no count
// of its own: the last count, "lesson", the lesson and its lane.
func (e *ear) hear(message string) {
	number, rest, _ := strings.Cut(message, " ")
	what, name, ok := strings.Cut(rest, " ")
	count, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if what == "lesson" {
		if lane, lesson, ok := lessonOf(name); ok {
			e.heard.lessons[lane] = lesson
			e.wake()
		}
		return
	}
	if left, err := strconv.ParseInt(what, 10, 64); err == nil && left >= 0 {
		if until := time.Now().Add(duration(left)); until.After(e.heard.breaks[name]) {
			e.heard.breaks[name] = until
		}
	} else if what == "entry" && name != "" {
		e.heard.others[store.Change{Key: name}] = struct{}{}
	} else {
		return
	}
	e.heard.missed = e.heard.missed || e.sure && count > e.count+1
	e.count = max(e.count, count)
	e.wake()
}

// beat hears a beat: how many news there were, and its number.
func (e *ear) beat(message string) {
	number, beat, _ := strings.Cut(message, " ")
	count, err := strconv.ParseInt(number, 10, 64)
	n, err2 := strconv.ParseInt(beat, 10, 64)
	if err != nil || err2 != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	sent, ok := e.late[n]
	if !ok || time.Since(sent) > deaf {
		return
	}
	delete(e.late, n)
	e.heard.beat = true
	e.heard.missed = e.heard.missed || count != e.count
	e.wake()
}

// differ hears of a profile that differs.
func (e *ear) differ(profile string) {
	if profile == "" || len(profile) > mostProfile {
		return
	}
	e.note(store.Change{Profile: profile})
}

// note notes a change that is told once.
func (e *ear) note(change store.Change) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.heard.others[change] = struct{}{}
	e.wake()
}

func (e *ear) wake() {
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// next returns the next beat to send.
func (e *ear) next() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sent++
	e.late[e.sent] = time.Now()
	return strconv.FormatInt(e.sent, 10)
}

// isDeaf reports whether a beat was not heard in time.
func (e *ear) isDeaf() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, sent := range e.late {
		if time.Since(sent) > deaf {
			return true
		}
	}
	return false
}

// empty returns the news, and begins anew.
func (e *ear) empty() heard {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := e.heard
	e.heard = newHeard()
	return all
}

// upTo notes that all breaks up to a count are known. What was heard before may be newer.
func (e *ear) upTo(count int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.count, e.sure = max(e.count, count), true
}

// spaceless returns a lesson as the server has it, before a space and the name of its lane.
func spaceless(lesson string) string { return base64.RawURLEncoding.EncodeToString([]byte(lesson)) }

// lessonOf reads what the server has: a lesson, a space, and the name of its lane.
func lessonOf(member string) (lane, lesson string, ok bool) {
	text, lane, ok := strings.Cut(member, " ")
	octets, err := base64.RawURLEncoding.DecodeString(text)
	if !ok || err != nil || len(octets) == 0 || len(octets) > store.LongestLesson {
		return "", "", false
	}
	return lane, string(octets), true
}

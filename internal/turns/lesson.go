package turns

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// lessonKeep is how long a lesson is kept for those who come later: for as long as a lane that
// nobody uses remembers it.
const lessonKeep = 10 * time.Minute

// lessonVersion begins the text of a lesson. Who does not know a version ignores the lesson.
const lessonVersion = "2"

// lessonText returns the text of a lesson that a process tells. What is left of a break is not in
// it, since that is told with it.
func lessonText(by string, l limit.Lesson) string {
	incident := none
	switch {
	case l.Incident && l.Asked:
		incident = asked
	case l.Incident:
		incident = unasked
	}
	return fmt.Sprintf("%s %s %d %d %d %d %d %d", lessonVersion, by, incident, l.Level, l.Gap.Microseconds(), l.Plain.Microseconds(), l.Before.Microseconds(), l.Why)
}

// lessonOf reads the text of a lesson, and who tells it. Anybody may have written it, so what is
// read may make no sense: a limit.Lane bounds it.
func lessonOf(text string) (by string, l limit.Lesson, ok bool) {
	if len(text) > maxLesson {
		return "", l, false
	}
	var numbers [6]int64
	fields := strings.Split(text, " ")
	if len(fields) != 2+len(numbers) || fields[0] != lessonVersion {
		return "", l, false
	}
	for i, field := range fields[2:] {
		n, err := strconv.ParseUint(field, 10, 50)
		if err != nil {
			return "", l, false
		}
		numbers[i] = int64(n)
	}
	micros := func(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
	l = limit.Lesson{
		Incident: numbers[0] == unasked || numbers[0] == asked, Why: limit.KindOf(numbers[5]), Asked: numbers[0] == asked, Level: int(min(numbers[1], mostLevel)),
		Gap: micros(numbers[2]), Plain: micros(numbers[3]), Before: micros(numbers[4]), Teller: hash(fnvOffset, fields[1]),
	}
	return fields[1], l, true
}

// How the text of a lesson tells of an incident.
const (
	none    = 0
	unasked = 1 // the site has not asked for the break
	asked   = 2
)

const (
	maxLesson = 128 // octets
	mostLevel = 100
)

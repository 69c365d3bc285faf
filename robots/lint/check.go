package lint

import (
	"fmt"
	"strconv"
)

// A Severity says how bad a [Finding] is.
type Severity int

const (
	Note    Severity = iota // worth knowing
	Warning                 // does something else than many would think
	Error                   // does nothing, or not what it seems
)

// String returns "note", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "severity " + strconv.Itoa(int(s))
}

// A Finding is something in a robots.txt that its author may want to change.
type Finding struct {
	ID       string   // of the [Check] that found it; it does not change
	Severity Severity // of that check
	Line     int      // from 1
	Column   int      // from 1, in octets
	Message  string   // what happens, and what to write instead
	More     int      // findings of the check that are not listed; 0 unless this is its last
}

// String returns the finding as a compiler would print it, without the name of
// the file: "3:1: error: … [missing-colon]".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s: %s [%s]", f.Line, f.Column, f.Severity, f.Message, f.ID)
}

// A Check is a kind of [Finding].
type Check struct {
	ID       string
	Severity Severity
	Summary  string // what it finds
}

// A check is a [Check] with examples of it, which its test goes by. What finds it
// stands below it, and says what happens and what to write instead.
type check struct {
	Check
	finds []example
	not   []string // files in which it finds nothing
}

// An example is a file in which a check finds something at a place, "line:column".
// In it (…)×3 stands for three times what is in parentheses.
type example struct{ body, place string }

package lint

import (
	"fmt"
	"strconv"
)

// A Severity says how bad a [Finding] is. A greater value is worse.
type Severity int

const (
	Note    Severity = iota // it is worth knowing
	Warning                 // the line does something else than many expect
	Error                   // the line does nothing, or not what it says
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
	ID       string   // of the [Check] that found it
	Severity Severity // of that check
	Line     int      // from 1
	Column   int      // from 1, in octets
	Message  string   // what happens and what to write instead, safe to print on a terminal
	More     int      // how many more findings of the check are left out, in its last finding; else 0
	Edit     *Edit    // what the message says to write; nil if it takes several edits, or if the author has to choose
}

// String returns the finding as a compiler would print it, without the name of
// the file: "3:1: error: … [missing-colon]".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s: %s [%s]", f.Line, f.Column, f.Severity, f.Text(), f.ID)
}

// Text returns the message and, if there are more findings of the check, how many are left
// out.
func (f Finding) Text() string {
	if f.More == 0 {
		return f.Message
	}
	return fmt.Sprintf("%s (and %d more like this)", f.Message, f.More)
}

// Apply returns body with the finding's edit made. body is the file in which the finding was found;
// Apply does not change it. It returns body itself if Edit is nil, or does not fit into the line.
func (f Finding) Apply(body []byte) []byte { return f.Edit.in(body, f.Line) }

// A Check is one kind of [Finding].
type Check struct {
	ID       string // a name in lower case, such as "missing-colon", that never changes
	Severity Severity
	Summary  string // what it finds, in a few words
}

// A check is a [Check] with an example, a file in which it finds something: see expand.
// The code that finds it is below its declaration, and has the message: what happens, and
// what to write instead. If one edit does that, the code has the edit too.
type check struct {
	Check
	example string
}

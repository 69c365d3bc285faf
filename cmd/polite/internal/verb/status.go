package verb

import "fmt"

// A Status is the exit status of the command. As an error it says that the error was
// told already.
type Status int

const (
	OK          Status = iota
	Failed             // any failure that is none of these
	Misuse             // the command makes no sense
	Disallowed         // by robots.txt
	Unreachable        // robots.txt could not be fetched or read
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// OrNil returns s as an error, or nil if s is OK.
func (s Status) OrNil() error {
	if s == OK {
		return nil
	}
	return s
}

package robots

import (
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Record is a line of the file that is neither a user-agent line nor a rule.
type Record struct {
	Key   string // as written
	Value string // as written, without the comment and the white space around it
	Line  int    // from 1
}

// A record is a Record as a File keeps it.
type record struct {
	key, value match.Span
	line       uint32
	group      int32 // its group, or noGroup
	kind       syntax.Kind
}

package lint

import (
	"slices"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// An Edit replaces a part of the line of a [Finding]. It makes the change that the
// message of the finding asks for. Where only the author knows what is meant, there is no
// Edit.
//
// From and To are octets of the line, from 0: the part begins at From, and ends before
// To. If they are equal, the edit inserts Text. The first line of a file begins with the
// byte order mark, if there is one. If an edit removes a line, To counts the octets of its line end, too, so that
// no blank line stays, at which old parsers end a group.
//
// Text may have a line end: then the edit makes two lines of one. Text is UTF-8. It may have characters
// from the file that act on a terminal.
//
// An edit is for the file as it was read. After an edit, other edits of its line may no
// longer fit. If the edit adds or removes a line end, the lines below have other numbers. Lint the
// file again.
type Edit struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`

	// Changes says that verdicts, delays or preferences may change: a line that does nothing
	// may begin to count. Say so before you make the edit. If false, the file says the same as before
	// to package robots and to package usage.
	Changes bool `json:"changes,omitempty"`
}

// in returns body with the edit made in a line.
func (e *Edit) in(body []byte, line int) []byte {
	if e == nil {
		return body
	}
	start, size, end := extent(body, line)
	if e.From < 0 || e.To < e.From || size < e.To && size+end != e.To {
		return body
	}
	return slices.Concat(body[:start+e.From], []byte(e.Text), body[start+e.To:])
}

// extent returns where a line of body begins, its size, and that of its line end. It returns a size of -1 if
// there is no such line. The first line begins with the byte order mark.
func extent(body []byte, number int) (start, size, end int) {
	mark := syntax.MarkSize(body)
	at := mark
	for line := range syntax.Lines(body[mark:]) {
		if line.Number == number {
			start = at
			if number == 1 {
				start = 0
			}
			return start, at - start + len(line.Text), len(line.End)
		}
		at += len(line.Text) + len(line.End)
	}
	if number == 1 {
		return 0, mark, 0 // a file without lines may still have a mark
	}
	return 0, -1, 0
}

package queue

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Budget is the most that a Queue takes of each lane, for as long as it lives. A field that is zero bounds
// nothing.
type Budget struct {
	Pages int   // items
	Bytes int64 // octets of the bodies that handlers read

	// Shape is the most items of one shape. URLs of a host have one shape if they differ only in numbers, dates
	// and tokens such as session ids, in the values of their query and the order of its names, or in how often
	// the segments of their path are repeated. So a calendar without end, the filter of a shop or a link that
	// grows takes no more than its share.
	Shape int
}

// ErrBudget is the error for an item that is over its Budget. Push returns it, and the handler gets it for
// items that wait when Budget.Bytes are used up. Nothing was sent.
var ErrBudget = errors.New("queue: over budget")

// spent is what was taken of a lane.
type spent struct {
	Pages  int            `json:"p,omitempty"`
	Bytes  int64          `json:"b,omitempty"`
	Shapes map[uint64]int `json:"s,omitempty"`
}

// spend takes an item with a URL from the Budget of the lane of key, or returns why it cannot. q.mu is locked.
func (q *Queue[T]) spend(key string, u *url.URL) error {
	if q.Most == (Budget{}) {
		return nil
	}
	s := q.spentOf(key)
	of := shapeOf(u)
	switch most := &q.Most; {
	case most.Pages > 0 && s.Pages >= most.Pages:
		q.over++
		return fmt.Errorf("%w: %s has %d pages", ErrBudget, key, s.Pages)
	case most.Bytes > 0 && s.Bytes >= most.Bytes:
		q.over++
		return fmt.Errorf("%w: %d octets of %s were read", ErrBudget, s.Bytes, key)
	case most.Shape > 0 && s.Shapes[hash(of)] >= most.Shape:
		q.over++
		return fmt.Errorf("%w: %s has %d pages like %.100q", ErrBudget, key, most.Shape, of)
	}
	q.noteSpent(key)
	s.Pages++
	if q.Most.Shape > 0 {
		if s.Shapes == nil {
			s.Shapes = make(map[uint64]int)
		}
		s.Shapes[hash(of)]++
	}
	return nil
}

// exhausted returns why no item of the lane of key is sent, or nil.
func (q *Queue[T]) exhausted(key string) error {
	if q.Most.Bytes <= 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if s := q.spentOf(key); s.Bytes >= q.Most.Bytes {
		q.over++
		return fmt.Errorf("%w: %d octets of %s were read", ErrBudget, s.Bytes, key)
	}
	return nil
}

// spentOf returns what was taken of the lane of key. q.mu is locked.
func (q *Queue[T]) spentOf(key string) *spent {
	s := q.spent[key]
	if s == nil {
		if q.spent == nil {
			q.spent = make(map[string]*spent)
		}
		s = new(spent)
		q.spent[strings.Clone(key)] = s // it outlives the URL that it is a part of
	}
	return s
}

// count lets the octets that a handler reads count for the lane of key.
func (q *Queue[T]) count(key string, resp *http.Response) {
	if q.Most.Bytes > 0 && resp.StatusCode != http.StatusSwitchingProtocols {
		resp.Body = &counted{resp.Body, func(n int) {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.spentOf(key).Bytes += int64(n)
			q.noteSpent(key)
		}}
	}
}

// A counted body tells what is read of it.
type counted struct {
	io.ReadCloser
	read func(n int)
}

func (c *counted) Read(b []byte) (n int, err error) {
	n, err = c.ReadCloser.Read(b)
	c.read(n)
	return n, err
}

// shapeOf returns what all URLs of the shape of u have in common.
func shapeOf(u *url.URL) string {
	var b strings.Builder
	b.WriteString(originOf(u))
	var seen []string
	numbers := 0 // since a segment that is none
	for segment := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		if len(seen) == mostSegments {
			break
		}
		switch segment = withoutNumbers(segment); {
		case segment == "0" && numbers == 3: // a year, a month and a day are three
			continue
		case segment == "0":
			numbers++
		case segment != "" && slices.Contains(seen, segment):
			continue
		default:
			seen, numbers = append(seen, segment), 0
		}
		b.WriteString("/" + segment)
	}
	var names []string
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, ok := strings.Cut(pair, "="); ok {
			names = append(names, withoutNumbers(name))
		} else if pair != "" {
			names = append(names, "") // it is a value itself
		}
	}
	if slices.Sort(names); len(names) > 0 {
		b.WriteString("?" + strings.Join(slices.Compact(names), "&"))
	}
	return b.String()
}

// hash returns a number for a shape. If a site finds two shapes with the same, they share a budget of its own.
func hash(shape string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, shape)
	return h.Sum64()
}

// mostSegments is how many segments of a path make a difference. A site can send thousands.
const mostSegments = 50

// leastToken is how long a word of letters and digits is that says nothing.
const leastToken = 8

// withoutNumbers returns text with a 0 for each number, and for each token.
func withoutNumbers(text string) string {
	isWord := func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end, digits := i, 0
		for end < len(text) && isWord(text[end]) {
			if isDigit(text[end]) {
				digits++
			}
			end++
		}
		switch word := text[i:end]; {
		case word == "":
			b = append(b, text[i])
			end++
		case digits > 0 && (digits == len(word) || len(word) >= leastToken):
			b = append(b, '0')
		default:
			b = appendWithoutDigits(b, word)
		}
		i = end
	}
	return string(b)
}

// appendWithoutDigits appends a word with a 0 for each number.
func appendWithoutDigits(b []byte, word string) []byte {
	for i := range len(word) {
		switch {
		case !isDigit(word[i]):
			b = append(b, word[i])
		case i == 0 || !isDigit(word[i-1]):
			b = append(b, '0')
		}
	}
	return b
}

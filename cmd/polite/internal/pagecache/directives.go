package pagecache

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/quota"
)

// directives are those of Cache-Control (RFC 9111 §5.2), by their names in lower case.
type directives map[string]string

// directivesOf reads the directives of a field. Those of Pragma count for a request that
// has no Cache-Control (§5.4).
func directivesOf(header http.Header, field string) directives {
	lines := header.Values(field)
	if len(lines) == 0 && strings.EqualFold(header.Get("Pragma"), "no-cache") {
		return directives{"no-cache": ""}
	}
	d := make(directives)
	for text := range members(strings.Join(lines, ",")) {
		name, value, _ := strings.Cut(text, "=")
		d.add(strings.ToLower(strings.TrimSpace(name)), strings.Trim(value, `" `))
	}
	return d
}

// add adds a directive. Of several times, the shortest counts (§4.2.1).
func (d directives) add(name, value string) {
	if last, again := d[name]; again {
		a, okA := quota.Seconds(last)
		b, okB := quota.Seconds(value)
		if !okA || okB && a <= b {
			return
		}
	}
	d[name] = value
}

func (d directives) has(name string) bool {
	_, ok := d[name]
	return ok
}

// time returns the time of a directive. If it cannot be read, it is none: what it is
// about is out of date (§4.2.1).
func (d directives) time(name string) (t time.Duration, ok bool) {
	value, ok := d[name]
	t, _ = quota.Seconds(value)
	return t, ok
}

// members yields the members of a list. A comma in a quoted string ends none.
func members(list string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin, quoted := 0, false
		for i := 0; i < len(list); i++ {
			switch c := list[i]; {
			case c == '"':
				quoted = !quoted
			case c == '\\' && quoted:
				i++
			case c == ',' && !quoted:
				if !yield(list[begin:i]) {
					return
				}
				begin = i + 1
			}
		}
		yield(list[begin:])
	}
}

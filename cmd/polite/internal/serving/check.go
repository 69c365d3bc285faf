package serving

import (
	"strings"

	"github.com/go-polite/polite/robots/lint"
)

// A check is one kind of finding about how a robots.txt is served. The code that finds it is
// its own, and returns the message: what happens, and what to do instead; or "" if there is
// nothing to say. The example is a dialogue with a site in which the check finds something.
type check struct {
	lint.Check
	example string
	find    func(Site) string
}

// exchange is a part of an example: what is asked for, and the header of the answer. With
// "as" and a User-Agent behind, only that one gets the answer.
func exchange(asked, status string, fields ...string) string {
	head := append([]string{asked, "HTTP/1.1 " + status}, fields...)
	return strings.Join(head, "\n") + "\n\n"
}

// text is an exchange that brings a text.
func text(asked string, fields ...string) string {
	return exchange(asked, "200 OK", append([]string{"Content-Type: text/plain"}, fields...)...) + rules
}

const rules = "User-agent: *\nDisallow: /x\n"

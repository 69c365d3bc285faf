package input

import (
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// Question returns the question that an argument or a line of a list is. If there is a file
// to go by, it may be a path of no site in particular.
func Question(arg string, byFile bool) judge.Question {
	if !byFile || !strings.HasPrefix(arg, "/") && strings.Contains(arg, "://") {
		u, err := URL(arg)
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	u, err := Path(arg)
	if err != nil || strings.HasPrefix(arg, "//") { // it may be a URL without its scheme
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	return judge.Question{Name: arg, URL: u}
}

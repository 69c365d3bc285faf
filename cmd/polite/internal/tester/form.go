package tester

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/crawlers"
)

// A form is a question of the page.
type form struct {
	request      request
	urls         []judge.Target
	text, before []byte
}

// A request is the part of a form that says what is asked.
type request struct {
	Agent   string   `json:"agent"`
	Explain int      `json:"explain"` // the URL to explain, by its index
	Format  string   `json:"format"`
	URL     string   `json:"url"`
	Several *several `json:"several"` // crawlers to judge for besides; nil for none

	// What crawlers are for that are kept out, and that are let in.
	Out string   `json:"out"`
	In  []string `json:"in"`

	// Of a finding: its check, and where it is. Line 0 stands for all findings of the check.
	Check  string `json:"check"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// newForm returns the question that parts are. Its URLs may be those of the last one.
func newForm(parts map[string][]byte, last *lastURLs) (f form, err error) {
	f = form{request: request{Explain: -1}, text: parts["text"], before: parts["before"]}
	if err := json.Unmarshal(parts["request"], &f.request); err != nil {
		return form{}, bad("The part \"request\" is no JSON of the kind that is asked for.")
	}
	if f.urls, err = last.read(parts["urls"]); err != nil {
		return form{}, err
	}
	if n := f.request.Explain; n < -1 || n >= max(len(f.urls), 1) {
		return form{}, bad("There is no URL %d to explain.", n)
	}
	return f, nil
}

// longestPart is how many octets each part of a form may have.
var longestPart = map[string]int64{"request": mostRequest, "urls": mostURLBytes, "text": mostText, "before": mostText}

// parts reads the parts of a form. Each may occur once.
func parts(w http.ResponseWriter, r *http.Request) (map[string][]byte, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" {
		return nil, failure{http.StatusUnsupportedMediaType, "Send multipart/form-data with a boundary."}
	}
	read := make(map[string][]byte)
	form := multipart.NewReader(http.MaxBytesReader(w, r.Body, mostBytes), params["boundary"])
	for {
		part, err := form.NextRawPart()
		if err == io.EOF {
			return read, nil
		}
		if err != nil {
			return nil, badForm(err)
		}
		name := part.FormName()
		limit, ok := longestPart[name]
		if _, again := read[name]; !ok || again {
			return nil, bad("The part %q is unknown, or occurs twice.", name)
		}
		if read[name], err = io.ReadAll(io.LimitReader(part, limit+1)); err != nil {
			return nil, badForm(err)
		}
		if int64(len(read[name])) > limit {
			return nil, failure{http.StatusRequestEntityTooLarge, tooLong[name]}
		}
	}
}

// tooLong says of each part of a form that it is longer than its bound.
var tooLong = map[string]string{
	"request": "The question is longer than 64 KiB: name fewer crawlers.",
	"urls":    "The URLs are longer than 4 MiB together: test fewer at a time.",
	"text":    "The file is longer than 2 MiB: test less at a time.",
	"before":  "The file of before is longer than 2 MiB: test less at a time.",
}

func badForm(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("The file and the URLs are longer than %d MiB together: test less at a time.", mostBytes>>20)}
	}
	return bad("The form cannot be read: send it whole.")
}

// The bounds of a request.
const (
	mostBytes    = 16 << 20 // of all of it
	mostText     = 2 << 20  // of each robots.txt
	mostRequest  = 64 << 10 // of the part with the question
	mostURLBytes = 4 << 20  // of all URLs together
	mostAtWork   = 4        // requests; others wait
	mostLoads    = 4        // requests that ask a site, besides
	mostPatience = 10 * time.Second
	mostExported = 64 << 20 // bytes of an export
)

type agent struct {
	Tokens []string          `json:"tokens"`
	Doubt  string            `json:"doubt"`
	Known  *crawlers.Crawler `json:"known"`
}

// mostAgent is longer than any User-Agent.
const mostAgent = 2000

// readAgent returns who a name, several, or a User-Agent stand for. "" is polite itself.
func readAgent(written string) (agent, error) {
	written = cmp.Or(strings.TrimSpace(written), verb.UserAgent())
	if len(written) > mostAgent {
		return agent{}, bad("The crawler's name is too long.")
	}
	tokens, err := judge.ParseAgent(written)
	if err != nil {
		return agent{}, bad("%q: %w", written, err)
	}
	a := agent{Tokens: tokens, Doubt: printable.Text(judge.Doubt(written, tokens))}
	if c, ok := crawlers.Find(tokens[0]); ok {
		a.Known = &c
	}
	return a, nil
}

// Several are crawlers to judge for at once: those with these names, or all of a kind.
type several struct {
	Names []string `json:"names"`
	Kind  string   `json:"kind"` // what they are for; "" for the names
}

// fileName is what the robots.txt of the page is called in stories and exports.
const fileName = "robots.txt"

// mostURLs is how many URLs a question has, at most.
const mostURLs = 10_000

// LastURLs are those of the last question. While a user edits the text, the page sends the
// same URLs with each key, and to read 10,000 of them takes longer than to judge them.
type lastURLs struct{ atomic.Pointer[readURLs] }

// ReadURLs are URLs with the lines that they were read from. They do not change.
type readURLs struct {
	lines   []byte
	targets []judge.Target
}

// read returns the URLs of lines, one a line.
func (l *lastURLs) read(lines []byte) ([]judge.Target, error) {
	if last := l.Load(); last != nil && bytes.Equal(last.lines, lines) {
		return last.targets, nil
	}
	if bytes.Count(lines, []byte("\n")) >= mostURLs {
		return nil, failure{http.StatusRequestEntityTooLarge, "There are more than 10,000 URLs: test fewer at a time."}
	}
	targets := targetsOf(string(lines))
	l.Store(&readURLs{lines, targets})
	return targets, nil
}

// targetsOf reads URLs, one a line, or paths of no site in particular.
func targetsOf(lines string) []judge.Target {
	if lines == "" {
		return nil
	}
	targets := make([]judge.Target, 0, strings.Count(lines, "\n")+1)
	for line := range strings.SplitSeq(lines, "\n") {
		targets = append(targets, judge.TargetOf(input.Question(line, true)))
	}
	return targets
}

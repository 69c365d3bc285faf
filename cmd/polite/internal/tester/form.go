package tester

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
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
	text, before []byte
}

// A request is the part of a form that says what is asked.
type request struct {
	Agent   string   `json:"agent"`
	URLs    []string `json:"urls"`
	Explain int      `json:"explain"`
	Format  string   `json:"format"`
	URL     string   `json:"url"`

	// Of a table: the crawlers, or what all of them are for.
	Crawlers []string `json:"crawlers"`
	Kind     string   `json:"kind"`

	// What crawlers are for that are kept out, and that are let in.
	Out string   `json:"out"`
	In  []string `json:"in"`

	// Of a finding: its check, and where it is. Line 0 stands for all findings of the check.
	Check  string `json:"check"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// readForm reads a question.
func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	read, err := parts(w, r, map[string]int64{"request": mostRequest, "text": mostText, "before": mostText})
	if err != nil {
		return form{}, err
	}
	f := form{request: request{Explain: -1}, text: read["text"], before: read["before"]}
	if err := json.Unmarshal(read["request"], &f.request); err != nil {
		return form{}, bad("The part \"request\" is no JSON of the kind that is asked for.")
	}
	return f, f.request.vet()
}

func (r request) vet() error {
	size := 0
	for _, u := range r.URLs {
		size += len(u)
	}
	switch {
	case len(r.URLs) > mostURLs:
		return failure{http.StatusRequestEntityTooLarge, "There are more than 10,000 URLs: test fewer at a time."}
	case size > mostURLBytes:
		return failure{http.StatusRequestEntityTooLarge, "The URLs are longer than 4 MiB together: test fewer at a time."}
	case r.Explain < -1 || r.Explain >= max(len(r.URLs), 1):
		return bad("There is no URL %d to explain.", r.Explain)
	}
	return nil
}

// questions returns the URLs as questions to a file.
func (r request) questions() []judge.Question {
	questions := make([]judge.Question, 0, len(r.URLs))
	for _, u := range r.URLs {
		questions = append(questions, input.Question(u, true))
	}
	return questions
}

// parts reads a form with these parts, and no others. Each may occur once.
func parts(w http.ResponseWriter, r *http.Request, most map[string]int64) (map[string][]byte, error) {
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
		limit, ok := most[name]
		if _, again := read[name]; !ok || again {
			return nil, bad("The part %q is unknown, or occurs twice.", name)
		}
		if read[name], err = io.ReadAll(io.LimitReader(part, limit+1)); err != nil {
			return nil, badForm(err)
		}
		if int64(len(read[name])) > limit {
			return nil, failure{http.StatusRequestEntityTooLarge, fmt.Sprintf("%s longer than %d MiB: test less at a time.", called[name], limit>>20)}
		}
	}
}

// called says what the parts of a form are to the user.
var called = map[string]string{"request": "The URLs are", "text": "The file is", "before": "The file of before is"}

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
	mostRequest  = 6 << 20  // of the part with the question
	mostURLs     = 10_000
	mostURLBytes = 4 << 20 // of all URLs together
	mostAtWork   = 4       // requests; others wait
	mostLoads    = 4       // requests that ask a site, besides
	mostPatience = 10 * time.Second
	mostExported = 64 << 20 // bytes of an export
)

// A failure is an error that is the caller's, with the status of the answer.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

func bad(format string, args ...any) error {
	return failure{http.StatusBadRequest, fmt.Errorf(format, args...).Error()}
}

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

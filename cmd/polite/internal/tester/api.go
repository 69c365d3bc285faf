package tester

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/lint"
	"golang.org/x/sync/semaphore"
)

// An answer is what a question gets.
type answer struct {
	kind string
	body []byte
}

// An api answers the questions of the page.
type api struct {
	start Start
	sites Sites
	desks desks
	urls  *lastURLs
}

// serve answers a question by its name.
func (a api) serve(w http.ResponseWriter, r *http.Request, name string) {
	status, told := told(a.answer(w, r, name))
	w.Header().Set("Content-Type", told.kind)
	w.WriteHeader(status)
	w.Write(told.body)
}

func (a api) answer(w http.ResponseWriter, r *http.Request, name string) (answer, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return answer{}, failure{http.StatusMethodNotAllowed, "Ask with POST."}
	}
	leave, err := a.desks.take(r.Context(), name)
	if err != nil {
		return answer{}, err
	}
	defer leave()
	read, err := parts(w, r)
	if err != nil {
		return answer{}, err
	}
	f, err := newForm(read, a.urls)
	if err != nil {
		return answer{}, err
	}
	return a.ask(r.Context(), name, f)
}

// ask returns the answer to a question by its name.
func (a api) ask(ctx context.Context, name string, f form) (answer, error) {
	switch name {
	case "start":
		return inJSON(a.start.answer(a.sites.Base != nil), nil)
	case "crawlers":
		return inJSON(map[string][]crawlers.Crawler{"crawlers": crawlers.All()}, nil)
	case "checks":
		return inJSON(checks(), nil)
	case "judge":
		return inJSON(f.judge(ctx))
	case "compare":
		return inJSON(f.compare(ctx))
	case "parted":
		return inJSON(f.parted(ctx))
	case "fix":
		return inJSON(f.fix(ctx))
	case "export":
		return f.export(ctx)
	case "review":
		return f.review(ctx)
	case "list":
		return inJSON(urlsOf(f.text))
	case "sitemap":
		return inJSON(a.sites.sitemap(ctx, f.request.URL))
	case "load":
		return inJSON(a.sites.load(ctx, f.request.URL))
	default:
		return answer{}, failure{http.StatusNotFound, "There is no such question."}
	}
}

func inJSON(v any, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	body, err := json.Marshal(v)
	return answer{"application/json", body}, err
}

// told returns an answer as it is told, also one that is an error, and its status.
func told(a answer, err error) (status int, _ answer) {
	if err == nil {
		return http.StatusOK, a
	}
	f, ok := errors.AsType[failure](err)
	if !ok {
		f = failure{http.StatusInternalServerError, err.Error()}
	}
	body, _ := json.Marshal(map[string]string{"error": printable.Text(f.text)})
	return f.status, answer{"application/json", body}
}

// Alone answers a page that has no server. It loads nothing from sites. Its zero value is ready; one question
// is asked at a time.
type Alone struct{ urls lastURLs }

// Ask returns the answer to a question by its name, as HTTP would have it. The parts are those of a form.
func (a *Alone) Ask(ctx context.Context, name string, parts map[string][]byte) (status int, kind string, body []byte) {
	var found answer
	f, err := newForm(parts, &a.urls)
	switch {
	case err == nil && abroad(name):
		err = failure{http.StatusNotFound, "This page loads nothing from sites."}
	case err == nil:
		found, err = api{}.ask(ctx, name, f)
	}
	status, found = told(found, err)
	return status, found.kind, found.body
}

// A Start is what the page begins with: what the command line gave.
type Start struct {
	Agent string   `json:"agent"`
	Text  []byte   `json:"text"` // of the robots.txt, in base64; nil if none was given
	Name  string   `json:"name"` // of its file
	URLs  []string `json:"urls"`
	State string   `json:"state"` // the fragment of a link that the page made
}

// answer returns the start of a page, which loads files of sites or not.
func (s Start) answer(loads bool) any {
	s.URLs = append([]string{}, s.URLs...) // [] and not null
	return struct {
		Start
		Version string `json:"version"`
		Loads   bool   `json:"loads"`
	}{s, verb.Version(), loads}
}

// A check tells what a check of lint finds.
type check struct {
	Summary string `json:"summary"`
	Example string `json:"example"` // a file in which it finds something; "" if that is long
}

// longestExample is how many octets of an example are easily read.
const longestExample = 400

// checks returns the checks of lint by their IDs.
func checks() map[string]check {
	all := make(map[string]check)
	for _, c := range lint.Checks() {
		told := check{Summary: c.Summary}
		if example := lint.Example(c.ID); len(example) <= longestExample {
			told.Example = example
		}
		all[c.ID] = told
	}
	return all
}

// Desks are where requests are worked at. A site may take its time, so those that ask one have
// a desk of their own, and all others go on.
type desks struct{ here, abroad *semaphore.Weighted }

func newDesks() desks {
	return desks{semaphore.NewWeighted(mostAtWork), semaphore.NewWeighted(mostLoads)}
}

// take waits for room for a question. When the work is done, call leave.
func (d desks) take(ctx context.Context, name string) (leave func(), err error) {
	desk := d.here
	if abroad(name) {
		desk = d.abroad
	}
	patient, cancel := context.WithTimeout(ctx, mostPatience)
	defer cancel()
	if desk.Acquire(patient, 1) != nil {
		return nil, cmp.Or(context.Cause(ctx), error(failure{http.StatusServiceUnavailable, "The tester is busy with other requests: try again."}))
	}
	return func() { desk.Release(1) }, nil
}

// abroad reports whether the answer to a question is a site's.
func abroad(name string) bool { return name == "load" || name == "sitemap" }

// close waits until all work is done. Nobody gets room any more.
func (d desks) close() {
	d.here.Acquire(context.Background(), mostAtWork)
	d.abroad.Acquire(context.Background(), mostLoads)
}

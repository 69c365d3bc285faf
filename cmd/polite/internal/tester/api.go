package tester

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/go-polite/polite/internal/printable"
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
}

// An answer is what a question gets.
type answer struct {
	kind string
	body []byte
}

// answer answers a question of the page.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		fail(w, failure{http.StatusMethodNotAllowed, "Ask with POST."})
		return
	}
	done, err := s.atWork(r.Context())
	if err != nil {
		fail(w, err)
		return
	}
	defer done()
	f, err := readForm(w, r)
	if err != nil {
		fail(w, err)
		return
	}
	a, err := s.ask(r.Context(), name, f)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Write(a.body)
}

// ask returns the answer to a question by its name.
func (s *Server) ask(ctx context.Context, name string, f form) (answer, error) {
	switch name {
	case "start":
		return inJSON(s.start(), nil)
	case "crawlers":
		return inJSON(knownCrawlers(), nil)
	case "judge":
		return inJSON(f.judge(ctx))
	case "compare":
		return inJSON(f.compare(ctx))
	case "export":
		return f.export(ctx)
	case "load":
		return inJSON(s.load(ctx, f.request.URL))
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

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	f, ok := errors.AsType[failure](err)
	if !ok {
		f = failure{http.StatusInternalServerError, err.Error()}
	}
	body, _ := json.Marshal(map[string]string{"error": printable.Text(f.text)})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	w.Write(body)
}

package proxy

import (
	"net/http"
	"strconv"
)

// Robots is the robots.txt of a site, as far as it is known.
type Robots struct {
	Known  bool   // if false, the site has to be asked
	Status int    // that the site has answered: 200, 404, …
	Body   []byte // as the site has sent it
}

// isRobots reports whether a program asks for a robots.txt.
func isRobots(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && r.URL.EscapedPath() == "/robots.txt" && r.URL.RawQuery == "" && !r.URL.ForceQuery
}

// write answers a program's own request for robots.txt.
func (file Robots) write(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(file.Body)))
	h.Set("Cache-Control", "no-cache") // the next request is answered with what is known then
	w.WriteHeader(file.Status)
	w.Write(file.Body)
}

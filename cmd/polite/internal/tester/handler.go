package tester

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var files embed.FS

// handler returns what serves the page and its questions.
func (s *Server) handler() http.Handler {
	guard := newGuard(s.listener.Addr(), s.token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protect(w.Header())
		rest, ok := guard.admit(r)
		if !ok {
			http.Error(w, "Open the link that polite tester has printed.", http.StatusForbidden)
			return
		}
		if name, ok := strings.CutPrefix(rest, "api/"); ok {
			s.answer(w, r, name)
			return
		}
		s.file(w, r, rest)
	})
}

// types are those of the files of the page.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file serves a file of the page.
func (s *Server) file(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "There is nothing to send here.", http.StatusMethodNotAllowed)
		return
	}
	if name == "" {
		name = "index.html"
	}
	body, err := files.ReadFile("page/" + name)
	kind := types[path.Ext(name)]
	if err != nil || kind == "" {
		http.Error(w, "There is no such page.", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Write(body)
	if name == "index.html" {
		s.shown()
	}
}

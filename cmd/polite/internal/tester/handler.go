package tester

import (
	"embed"
	"net/http"
	"path"
	"strings"
)

//go:embed page
var files embed.FS

// A handler serves the page and answers its questions.
type handler struct {
	guard guard
	api   api
	shown func() // is called when the page has been fetched
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	rest, ok := h.guard.admit(r)
	if !ok {
		http.Error(w, "Open the link that polite tester has printed.", http.StatusForbidden)
		return
	}
	if name, ok := strings.CutPrefix(rest, "api/"); ok {
		h.api.serve(w, r, name)
		return
	}
	h.file(w, r, rest)
}

// types are those of the files of the page.
var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// file serves a file of the page.
func (h handler) file(w http.ResponseWriter, r *http.Request, name string) {
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
		h.shown()
	}
}

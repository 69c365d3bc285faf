// Package tester serves the tester of robots.txt: a page on this machine, for its user
// alone, that gives the answers of the command.
//
// All that it serves is below a path that nobody can guess. It listens on loopback, answers
// nobody who came by another name of this machine or from another page, and bounds what a
// request may cost. Nothing asks a site unless the page asks to load its robots.txt.
package tester

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// Options say what a Server serves.
type Options struct {
	Start Start // what the page begins with
	Sites Sites // how the sites are asked whose robots.txt is loaded

	// Shown is called when the page has been fetched for the first time.
	Shown func()
}

// A Server serves the tester. Make one with [New].
type Server struct {
	api      api
	guard    guard
	shown    func() // is called when the page has been fetched
	listener net.Listener
}

// New returns a Server that serves at a listener, which is its own from then on.
func New(o Options, listener net.Listener) *Server {
	random := make([]byte, 24)
	rand.Read(random) // never fails
	return &Server{
		api:   api{o.Start, o.Sites, newDesks(), new(lastURLs)},
		guard: newGuard(listener.Addr(), base64.RawURLEncoding.EncodeToString(random)),
		shown: sync.OnceFunc(o.Shown), listener: listener,
	}
}

// Link returns the URL of the page. Who has it can use the tester: it is a secret.
func (s *Server) Link() string { return fmt.Sprintf("http://%s/%s/", s.listener.Addr(), s.guard.token) }

// Close stops listening. It is for a Server that has served nothing; Serve closes it, too.
func (s *Server) Close() error { return s.listener.Close() }

// Serve serves until ctx ends. Then it ends what it is doing, and returns nil.
func (s *Server) Serve(ctx context.Context) error {
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:                      s,
		DisableGeneralOptionsHandler: true,
		BaseContext:                  func(net.Listener) context.Context { return working },
		ReadHeaderTimeout:            10 * time.Second,
		ReadTimeout:                  time.Minute,
		WriteTimeout:                 5 * time.Minute,
		IdleTimeout:                  2 * time.Minute,
		MaxHeaderBytes:               32 << 10,
		ErrorLog:                     log.New(io.Discard, "", 0), // it tells of connections that fail
	}
	var serving sync.WaitGroup
	var err error
	serving.Go(func() { err = server.Serve(s.listener) })
	stop := context.AfterFunc(ctx, func() {
		end()
		server.Close()
	})
	serving.Wait()
	if !stop() {
		err = nil
	}
	s.api.desks.close() // the contexts of all work have ended
	return err
}

//go:embed page
var files embed.FS

// ServeHTTP serves the page and answers its questions.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	protect(w.Header())
	rest, ok := s.guard.admit(r)
	if !ok {
		http.Error(w, "Open the link that polite tester has printed.", http.StatusForbidden)
		return
	}
	if name, ok := strings.CutPrefix(rest, "api/"); ok {
		s.api.serve(w, r, name)
		return
	}
	s.file(w, r, rest)
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

// contentPolicy lets the page use nothing but its own files. Its one policy for markup lets no tag
// through.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types plain"

// protect sets the headers that protect the page from others, and from what it shows.
func protect(h http.Header) {
	for name, value := range map[string]string{
		"Content-Security-Policy":      contentPolicy,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"X-Frame-Options":              "DENY",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
	} {
		h.Set(name, value)
	}
}

// A guard lets nobody through but the page and who opens it.
type guard struct {
	hosts []string // that a request may name
	token string
}

func newGuard(at net.Addr, token string) guard {
	port := strconv.Itoa(at.(*net.TCPAddr).Port)
	return guard{[]string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}, token}
}

// admit returns the part of the path after the token, and whether the request may go on.
// A request from another page has no token, since pages cannot read each other's URLs; but
// nothing rests on this alone.
func (g guard) admit(r *http.Request) (rest string, ok bool) {
	token, rest, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return rest, ok && verb.SameSecret(token, g.token) && g.isOwn(r)
}

// isOwn reports whether a request came by a name of this machine, and from no other page.
func (g guard) isOwn(r *http.Request) bool {
	if !slices.Contains(g.hosts, r.Host) { // else a name of another's may lead here: DNS rebinding
		return false
	}
	if r.Method == http.MethodPost {
		return one(r.Header, "Origin", "http://"+r.Host) && (len(r.Header["Sec-Fetch-Site"]) == 0 || one(r.Header, "Sec-Fetch-Site", "same-origin"))
	}
	return !fromOther(r.Header)
}

// one reports whether a header has this value, and no other.
func one(h http.Header, name, value string) bool {
	values := h[name]
	return len(values) == 1 && values[0] == value
}

// fromOther reports whether another page asks, other than by a link that its user follows
// to a page of its own. The page that leads the browser here is a file, so it is one.
func fromOther(h http.Header) bool {
	switch h.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return false
	default:
		return h.Get("Sec-Fetch-Mode") != "navigate" || h.Get("Sec-Fetch-Dest") != "document"
	}
}

// A failure is an error that is the caller's, with the status of the answer.
type failure struct {
	status int
	text   string
}

func (f failure) Error() string { return f.text }

func bad(format string, args ...any) error {
	return failure{http.StatusBadRequest, fmt.Errorf(format, args...).Error()}
}

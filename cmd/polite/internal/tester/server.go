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
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Options say what a Server serves.
type Options struct {
	Port  int   // to listen on; 0 for any that is free
	Start Start // what the page begins with
	Sites Sites // how the sites are asked whose robots.txt is loaded

	// Shown is called when the page has been fetched for the first time.
	Shown func()
}

// A Server serves the tester. Make one with [Listen].
type Server struct {
	options  Options
	token    string
	listener net.Listener
	desks    desks
}

// Listen returns a Server that listens, on loopback alone. It serves nothing yet.
func Listen(o Options) (*Server, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, err
	}
	return newServer(o, listener), nil
}

func newServer(o Options, listener net.Listener) *Server {
	random := make([]byte, 24)
	rand.Read(random) // never fails
	return &Server{
		options: o, token: base64.RawURLEncoding.EncodeToString(random), listener: listener,
		desks: newDesks(),
	}
}

// Link returns the URL of the page. Who has it can use the tester: it is a secret.
func (s *Server) Link() string { return fmt.Sprintf("http://%s/%s/", s.listener.Addr(), s.token) }

// Close stops listening. It is for a Server that has served nothing; Serve closes it, too.
func (s *Server) Close() error { return s.listener.Close() }

func (s *Server) handler() http.Handler {
	return handler{newGuard(s.listener.Addr(), s.token), api{s.options.Start, s.options.Sites, s.desks, new(lastURLs)}, sync.OnceFunc(s.options.Shown)}
}

// Serve serves until ctx ends. Then it ends what it is doing, and returns nil.
func (s *Server) Serve(ctx context.Context) error {
	working, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:                      s.handler(),
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
	s.desks.close() // the contexts of all work have ended
	return err
}

package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"text/template"
	"time"
)

//go:embed nginx.conf
var configText string

var config = template.Must(template.New("nginx.conf").Parse(configText))

// An nginx has all sites, each for every client at another address: a limit is for one
// client alone.
type nginx struct {
	folder string
	behind *httptest.Server
	ports  []int // of the sites
	stop   context.CancelFunc
	ended  chan struct{} // is closed when nginx has ended; nil if it was not started
}

// url returns where a client finds a site.
func (n *nginx) url(client, site int) string {
	return fmt.Sprintf("http://%s:%d", address(client), n.ports[site])
}

func address(client int) string { return fmt.Sprintf("127.0.0.%d", client+2) }

func (n *nginx) log() string { return filepath.Join(n.folder, "access.log") }

// startNginx starts nginx in the foreground, in a folder of its own.
func startNginx(sites []site, clients int) (*nginx, error) {
	folder, err := os.MkdirTemp("", "manners")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	n := &nginx{folder: folder, behind: httptest.NewServer(newBehind()), stop: stop}
	if err := n.start(ctx, sites, clients); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

func (n *nginx) start(ctx context.Context, sites []site, clients int) error {
	if err := n.configure(sites, clients); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "nginx", "-p", n.folder, "-c", "nginx.conf")
	var problems bytes.Buffer
	command.Stderr = &problems
	if err := command.Start(); err != nil {
		return err
	}
	n.ended = make(chan struct{})
	go func() {
		defer close(n.ended)
		command.Wait()
	}()
	if !n.ready(clients) {
		return fmt.Errorf("nginx has ended: %s", &problems)
	}
	return nil
}

func (n *nginx) configure(sites []site, clients int) error {
	type server struct {
		Listen        []string
		Limit, Behind string
	}
	var servers []server
	for i, s := range sites {
		port, err := freePort()
		if err != nil {
			return err
		}
		n.ports = append(n.ports, port)
		here := server{Limit: s.limit}
		if s.behind != "" {
			here.Behind = n.behind.URL + s.behind
		}
		for client := range clients {
			here.Listen = append(here.Listen, fmt.Sprintf("%s:%d", address(client), n.ports[i]))
		}
		servers = append(servers, here)
	}
	var text bytes.Buffer
	if err := config.Execute(&text, servers); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(n.folder, "page"), []byte("a page\n"), 0o600),
		os.WriteFile(filepath.Join(n.folder, "nginx.conf"), text.Bytes(), 0o600))
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// ready waits until nginx takes connections. It reports whether it does.
func (n *nginx) ready(clients int) bool {
	last := net.JoinHostPort(address(clients-1), strconv.Itoa(n.ports[len(n.ports)-1]))
	for {
		conn, err := net.Dial("tcp", last)
		if err == nil {
			conn.Close()
			return true
		}
		select {
		case <-n.ended:
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// close ends nginx and removes its folder.
func (n *nginx) close() {
	n.stop()
	if n.ended != nil {
		<-n.ended
	}
	n.behind.Close()
	os.RemoveAll(n.folder)
}

// newBehind returns what nginx passes requests on to.
func newBehind() http.Handler {
	mux := http.NewServeMux()
	thread := make(chan struct{}, 1)
	mux.HandleFunc(oneAtATime, func(w http.ResponseWriter, r *http.Request) {
		select {
		case thread <- struct{}{}:
			defer func() { <-thread }()
			time.Sleep(slowPage)
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc(atOnce, func(http.ResponseWriter, *http.Request) { time.Sleep(usualPage) })
	return mux
}

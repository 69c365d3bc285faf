package redisfleet_test

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A proxy stands between a fleet and its server, and does what networks do.
type proxy struct {
	testing.TB
	listener net.Listener
	server   string

	mu    sync.Mutex
	conns map[*link]bool
	seen  []string // the names of the commands that came
	drop  func(command []string) bool
	twice bool
	deaf  bool // what the server tells subscribers is lost
	late  time.Duration
}

func startProxy(t testing.TB, server string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{TB: t, listener: l, server: server, conns: make(map[*link]bool)}
	go p.serve()
	t.Cleanup(func() { l.Close(); p.cut() })
	return p
}

func (p *proxy) url() string { return "redis://" + p.listener.Addr().String() }

// set changes what the proxy does.
func (p *proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

// cut cuts all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.conns {
		l.close()
	}
}

// reach connects with the server.
func (p *proxy) reach() (net.Conn, error) {
	var address string
	p.set(func() { address = p.server })
	return net.Dial("tcp", address)
}

// count returns how often a command came.
func (p *proxy) count(name string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, command := range p.seen {
		if command == name {
			n++
		}
	}
	return n
}

// A link is a connection through the proxy.
type link struct {
	client, server net.Conn
	subscriber     bool
}

func (l *link) close() { l.client.Close(); l.server.Close() }

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := p.reach()
		if err != nil {
			client.Close()
			continue
		}
		l := &link{client: client, server: server}
		p.set(func() { p.conns[l] = true })
		go p.commands(l)
		go p.replies(l)
	}
}

// commands passes on what the client sends.
func (p *proxy) commands(l *link) {
	defer l.close()
	r := bufio.NewReader(l.client)
	for {
		command, raw, err := readCommand(r)
		if err != nil {
			return
		}
		name := strings.ToUpper(command[0])
		var drop, twice bool
		var late time.Duration
		p.set(func() {
			p.seen = append(p.seen, name)
			l.subscriber = l.subscriber || name == "SUBSCRIBE"
			drop = p.drop != nil && p.drop(command)
			twice, late = p.twice && strings.HasPrefix(name, "EVAL"), p.late
		})
		time.Sleep(late)
		if drop { // the server does it, but its reply is lost
			p.beside(raw)
			return
		}
		if _, err := l.server.Write(raw); err != nil {
			return
		}
		if twice {
			p.beside(raw)
		}
	}
}

// beside sends a command on a connection of its own, and waits until it is done.
func (p *proxy) beside(raw []byte) {
	conn, err := p.reach()
	if err != nil {
		return
	}
	defer conn.Close()
	conn.Write(raw)
	conn.SetReadDeadline(time.Now().Add(time.Second))
	conn.Read(make([]byte, 1))
}

// replies passes on what the server sends.
func (p *proxy) replies(l *link) {
	defer l.close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := l.server.Read(buffer)
		if err != nil {
			return
		}
		lost := false
		p.set(func() { lost = p.deaf && l.subscriber })
		if lost {
			continue
		}
		if _, err := l.client.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// readCommand reads a command, and returns its words and its bytes.
func readCommand(r *bufio.Reader) (words []string, raw []byte, err error) {
	var all bytes.Buffer
	line := func() (int, error) {
		text, err := r.ReadString('\n')
		all.WriteString(text)
		if err != nil || len(text) < 3 {
			return 0, io.ErrUnexpectedEOF
		}
		return strconv.Atoi(strings.TrimSpace(text[1:]))
	}
	n, err := line()
	for ; err == nil && n > 0; n-- {
		var size int
		if size, err = line(); err != nil {
			break
		}
		word := make([]byte, size+2)
		if _, err = io.ReadFull(r, word); err == nil {
			all.Write(word)
			words = append(words, string(word[:size]))
		}
	}
	return words, all.Bytes(), err
}

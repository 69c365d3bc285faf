// Package network plays the network between a fleet and its server in tests: a proxy that
// delays, repeats and loses what passes.
package network

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
)

// A Proxy stands between clients and a server, and does what networks do.
type Proxy struct {
	listener net.Listener
	handlers sync.WaitGroup

	mu     sync.Mutex
	server string
	links  map[*link]bool
	came   map[string]int // commands, by name
	does   Does
}

// Does is what a Proxy does to what passes. The zero value passes all on.
type Does struct {
	Delay  time.Duration // for a round trip
	Twice  bool          // scripts are run twice
	Drops  bool          // the next script is run, but its connection is lost before its reply
	Dumb   bool          // replies are lost
	Deaf   bool          // what subscribers are told is lost
	Severs bool          // nothing passes, and nobody is told
}

// Start starts a Proxy before the server at an address. It is closed with the test.
func Start(t testing.TB, server string) *Proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{listener: l, server: server, links: make(map[*link]bool), came: make(map[string]int)}
	p.handlers.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.Cut(false)
		p.handlers.Wait()
	})
	return p
}

// URL returns the URL of the server through the Proxy.
func (p *Proxy) URL() string { return "redis://" + p.listener.Addr().String() }

// Move lets new connections lead to another server.
func (p *Proxy) Move(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.server = server
}

// Set changes what the Proxy does.
func (p *Proxy) Set(change func(*Does)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.does)
}

// Heal ends what the Proxy does. It cuts the connections on which something is lost.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.does = Does{}
	for l := range p.links {
		if l.mute {
			l.close()
		}
	}
}

// Cut cuts all connections, or those that subscribe.
func (p *Proxy) Cut(subscriptions bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.subscribes || !subscriptions {
			l.close()
		}
	}
}

// Count returns how often a command came. Its name is in capitals.
func (p *Proxy) Count(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.came[name]
}

// reach connects with the server.
func (p *Proxy) reach() (net.Conn, error) {
	p.mu.Lock()
	server := p.server
	p.mu.Unlock()
	return net.Dial("tcp", server)
}

func (p *Proxy) serve() {
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
		l := &link{Proxy: p, client: client, server: server}
		p.mu.Lock()
		p.links[l] = true
		p.mu.Unlock()
		p.handlers.Go(l.commands)
		p.handlers.Go(l.replies)
	}
}

// A link is a connection through the Proxy.
type link struct {
	*Proxy
	client, server net.Conn
	subscribes     bool
	mute           bool // a reply was lost, so nothing that follows may come
	dead           bool // a command was lost, so nothing that follows may pass
}

func (l *link) close() { l.client.Close(); l.server.Close() }

func (l *link) end() {
	l.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.links, l)
}

// command returns what happens to a command.
func (l *link) command(name string) Does {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.came[name]++
	l.subscribes = l.subscribes || name == "SUBSCRIBE"
	d := l.now()
	script := strings.HasPrefix(name, "EVAL")
	d.Twice, d.Drops = d.Twice && script, d.Drops && script
	l.does.Drops = l.does.Drops && !d.Drops
	return d
}

// reply returns what happens to a reply.
func (l *link) reply() Does {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now()
}

// now returns what happens to this link now. What is lost on a connection is lost for good:
// all that follows is lost, too. The caller has the lock.
func (l *link) now() Does {
	l.dead = l.dead || l.does.Severs
	l.mute = l.mute || l.dead || l.does.Dumb || l.does.Deaf && l.subscribes
	d := l.does
	d.Severs, d.Dumb = l.dead, l.mute
	return d
}

// commands passes on what the client sends.
func (l *link) commands() {
	defer l.end()
	pipe := newPipe(l.server)
	defer pipe.end()
	beside := &beside{dial: l.reach}
	defer beside.close()
	r := bufio.NewReader(l.client)
	for {
		name, raw, err := readCommand(r)
		if err != nil {
			return
		}
		d := l.command(name)
		if d.Severs {
			continue
		}
		if d.Twice || d.Drops {
			beside.send(raw)
		}
		if d.Drops {
			return
		}
		pipe.send(raw, d.Delay/2)
	}
}

// replies passes on what the server sends.
func (l *link) replies() {
	defer l.end()
	pipe := newPipe(l.client)
	defer pipe.end()
	buffer := make([]byte, 1<<16)
	for {
		n, err := l.server.Read(buffer)
		if err != nil {
			return
		}
		if d := l.reply(); !d.Dumb {
			pipe.send(bytes.Clone(buffer[:n]), d.Delay/2)
		}
	}
}

// readCommand reads a command, and returns its name and its bytes.
func readCommand(r *bufio.Reader) (name string, raw []byte, err error) {
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
		_, err = io.ReadFull(r, word)
		all.Write(word)
		if name == "" {
			name = strings.ToUpper(string(word[:size]))
		}
	}
	return name, all.Bytes(), err
}

// Package network plays the network between a fleet and its server in tests: a proxy that
// delays, repeats and loses what passes.
package network

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2/proto"
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
	p.Set(func(d *Does) { *d = Does{} })
	p.cut(func(l *link) bool { return l.mute })
}

// Cut cuts all connections, or those that subscribe.
func (p *Proxy) Cut(subscriptions bool) {
	p.cut(func(l *link) bool { return l.subscribes || !subscriptions })
}

func (p *Proxy) cut(is func(*link) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if is(l) {
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

// A link is a connection through the Proxy. What is lost on it is lost for good: all that follows is lost, too.
type link struct {
	*Proxy
	client, server net.Conn
	subscribes     bool
	mute           bool // a reply was lost
	dead           bool // a command was lost
}

func (l *link) close() { l.client.Close(); l.server.Close() }

func (l *link) end() {
	l.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.links, l)
}

// passes returns what happens to a command, or to a reply, which has no name.
func (l *link) passes(command string) Does {
	l.mu.Lock()
	defer l.mu.Unlock()
	if command != "" {
		l.came[command]++
		l.subscribes = l.subscribes || command == "SUBSCRIBE"
	}
	l.dead = l.dead || l.does.Severs
	l.mute = l.mute || l.dead || l.does.Dumb || l.does.Deaf && l.subscribes
	d := l.does
	d.Severs, d.Dumb = l.dead, l.mute
	if !strings.HasPrefix(command, "EVAL") {
		d.Twice, d.Drops = false, false
	}
	l.does.Drops = l.does.Drops && !d.Drops
	return d
}

// commands passes on what the client sends.
func (l *link) commands() {
	defer l.end()
	send, end := delayed(l.server)
	defer end()
	for r := bufio.NewReader(l.client); ; {
		raw, err := proto.Read(r)
		words, _ := proto.ReadStrings(raw)
		if err != nil || len(words) == 0 {
			return
		}
		d := l.passes(strings.ToUpper(words[0]))
		if d.Severs {
			continue
		}
		if d.Twice || d.Drops {
			l.beside(raw)
		}
		if d.Drops {
			return
		}
		send(raw, d.Delay/2)
	}
}

// replies passes on what the server sends.
func (l *link) replies() {
	defer l.end()
	send, end := delayed(l.client)
	defer end()
	for buffer := make([]byte, 1<<16); ; {
		n, err := l.server.Read(buffer)
		if err != nil {
			return
		}
		if d := l.passes(""); !d.Dumb {
			send(string(buffer[:n]), d.Delay/2)
		}
	}
}

// beside runs a command on a connection of its own, and waits until it is done. Its reply is lost.
func (l *link) beside(raw string) {
	conn, err := l.reach()
	if err != nil {
		return
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second))
	conn.Write([]byte(raw))
	conn.Read(make([]byte, 1<<16))
}

// delayed returns how to write to a connection: each part after its delay, and in order. end writes what is left.
func delayed(to net.Conn) (send func(part string, delay time.Duration), end func()) {
	type late struct {
		at   time.Time
		part string
	}
	parts, done := make(chan late, 1<<14), make(chan struct{})
	go func() {
		defer close(done)
		for one := range parts {
			time.Sleep(time.Until(one.at))
			to.Write([]byte(one.part))
		}
	}()
	return func(part string, delay time.Duration) { parts <- late{time.Now().Add(delay), part} },
		func() { close(parts); <-done }
}

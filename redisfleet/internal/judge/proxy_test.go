package judge_test

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

// A proxy stands between a process and the engine, and does what networks do.
type proxy struct {
	listener net.Listener
	engine   string
	handlers sync.WaitGroup

	mu    sync.Mutex
	links map[*link]bool
	does  does
}

// does is what a proxy does to what passes.
type does struct {
	delay  time.Duration // for a round trip
	twice  bool          // scripts are run twice
	dumb   bool          // replies are lost
	deaf   bool          // what subscribers are told is lost
	severs bool          // nothing passes, and nobody is told
}

// A link is a connection through the proxy.
type link struct {
	*proxy
	client, server net.Conn
	subscribes     bool
	mute           bool // a reply was lost, so nothing that follows may come
	dead           bool // a command was lost, so nothing that follows may pass
}

func startProxy(t testing.TB, engine string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, engine: engine, links: make(map[*link]bool)}
	p.handlers.Go(p.serve)
	t.Cleanup(func() {
		l.Close()
		p.cut(false)
		p.handlers.Wait()
	})
	return p
}

func (p *proxy) url() string { return "redis://" + p.listener.Addr().String() }

// set changes what the proxy does.
func (p *proxy) set(change func(*does)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(&p.does)
}

// heal ends what the proxy does. It cuts the connections on which something is lost.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.does = does{}
	for l := range p.links {
		if l.mute {
			l.close()
		}
	}
}

// cut cuts all connections, or those that subscribe.
func (p *proxy) cut(subscriptions bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		if l.subscribes || !subscriptions {
			l.close()
		}
	}
}

func (l *link) close() { l.client.Close(); l.server.Close() }

func (p *proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.engine)
		if err != nil {
			client.Close()
			continue
		}
		l := &link{proxy: p, client: client, server: server}
		p.mu.Lock()
		p.links[l] = true
		p.mu.Unlock()
		p.handlers.Go(l.commands)
		p.handlers.Go(l.replies)
	}
}

// now returns what happens to this link now. What is lost on a connection is lost for good:
// all that follows is lost, too.
func (l *link) now() does {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = l.dead || l.does.severs
	l.mute = l.mute || l.dead || l.does.dumb || l.does.deaf && l.subscribes
	d := l.does
	d.severs, d.dumb = l.dead, l.mute
	return d
}

func (l *link) end() {
	l.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.links, l)
}

// commands passes on what the client sends.
func (l *link) commands() {
	defer l.end()
	pipe := newPipe(l.server)
	defer pipe.end()
	beside := newBeside(l.engine)
	defer beside.close()
	r := bufio.NewReader(l.client)
	for {
		name, raw, err := readCommand(r)
		if err != nil {
			return
		}
		if name == "SUBSCRIBE" {
			l.mu.Lock()
			l.subscribes = true
			l.mu.Unlock()
		}
		d := l.now()
		if d.severs {
			continue
		}
		if d.twice && strings.HasPrefix(name, "EVAL") {
			beside.send(raw)
		}
		pipe.send(raw, d.delay/2)
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
		d := l.now()
		if d.dumb {
			continue
		}
		pipe.send(bytes.Clone(buffer[:n]), d.delay/2)
	}
}

// A pipe writes each part after its delay, and in order.
type pipe struct {
	to    net.Conn
	parts chan delayed
	done  chan struct{}
}

type delayed struct {
	at   time.Time
	part []byte
}

func newPipe(to net.Conn) *pipe {
	p := &pipe{to, make(chan delayed, 1<<14), make(chan struct{})}
	go func() {
		defer close(p.done)
		for one := range p.parts {
			time.Sleep(time.Until(one.at))
			p.to.Write(one.part)
		}
	}()
	return p
}

func (p *pipe) send(part []byte, delay time.Duration) {
	p.parts <- delayed{time.Now().Add(delay), part}
}

func (p *pipe) end() {
	close(p.parts)
	<-p.done
}

// A beside is a second connection to the engine. What it replies is lost.
type beside struct {
	engine string
	conn   net.Conn
}

func newBeside(engine string) *beside { return &beside{engine: engine} }

// send sends a command, and waits until it is done.
func (b *beside) send(raw []byte) {
	if b.conn == nil {
		b.conn, _ = net.Dial("tcp", b.engine)
	}
	if b.conn == nil {
		return
	}
	b.conn.SetDeadline(time.Now().Add(time.Second))
	b.conn.Write(raw)
	if _, err := b.conn.Read(make([]byte, 1<<16)); err != nil {
		b.close()
	}
}

func (b *beside) close() {
	if b.conn != nil {
		b.conn.Close()
		b.conn = nil
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

package network

import (
	"net"
	"time"
)

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

// A beside is a second connection to the server. Its replies are lost.
type beside struct {
	dial func() (net.Conn, error)
	conn net.Conn
}

// send sends a command, and waits until it is done.
func (b *beside) send(raw []byte) {
	if b.conn == nil {
		b.conn, _ = b.dial()
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

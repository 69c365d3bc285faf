package proxy

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"
)

// mostRest is how long one way of a WebSocket goes on after the other has ended.
const mostRest = 2 * time.Minute

// joined makes an answer one that begins a WebSocket, or returns why it cannot.
func joined(r *http.Request, resp *http.Response, upgrade string) error {
	site, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || !isWebSocket(r) {
		return refusal{
			status: http.StatusBadGateway, text: "polite proxy: the site speaks another protocol than it was asked for",
		}
	}
	resp.Header.Set("Connection", "Upgrade")
	resp.Header.Set("Upgrade", upgrade)
	program, _ := r.Context().Value(connKey{}).(net.Conn)
	resp.Body = &chat{ReadWriteCloser: site, program: program}
	return nil
}

// A chat is the site's end of a WebSocket. Who has no more to say may still listen, but not for
// ever: mostRest after one way has ended, both ends are closed.
type chat struct {
	io.ReadWriteCloser
	program net.Conn
	resting sync.Once
}

func (s *chat) Read(p []byte) (int, error) {
	n, err := s.ReadWriteCloser.Read(p)
	if err != nil {
		s.rest()
	}
	return n, err
}

// CloseWrite tells the site that no more comes.
func (s *chat) CloseWrite() error {
	s.rest()
	return closeWrite(s.ReadWriteCloser)
}

func (s *chat) rest() {
	s.resting.Do(func() {
		time.AfterFunc(mostRest, func() {
			s.Close()
			if s.program != nil {
				s.program.Close()
			}
		})
	})
}

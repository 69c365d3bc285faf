package proxy

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"sync"
	"time"
)

// join connects a program and a site that have begun a WebSocket, until one of them ends it. It
// returns a refusal if they cannot be connected.
func join(w http.ResponseWriter, r *http.Request, resp *http.Response) *refusal {
	site, ok := resp.Body.(io.ReadWriteCloser)
	if !ok || !isWebSocket(r) {
		resp.Body.Close()
		return &refusal{
			status: http.StatusBadGateway, why: "http_upgrade_failed", text: "polite proxy: the site speaks another protocol than it was asked for",
		}
	}
	defer site.Close()
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil // the program has gone
	}
	defer conn.Close()
	if tellSwitch(buffered.Writer, resp) == nil {
		exchange(conn, buffered.Reader, site)
	}
	return nil
}

// tellSwitch passes the answer on that begins a WebSocket.
func tellSwitch(w *bufio.Writer, resp *http.Response) error {
	answerFields(resp.Header)
	resp.Header.Set("Connection", "Upgrade")
	resp.Header.Set("Upgrade", "websocket")
	fmt.Fprintf(w, "HTTP/1.1 %d %s\r\n", resp.StatusCode, http.StatusText(resp.StatusCode))
	resp.Header.Write(w)
	io.WriteString(w, "\r\n")
	return w.Flush()
}

// mostRest is how long one way goes on after the other has ended.
const mostRest = 2 * time.Minute

// exchange copies both ways, until both end. Who has no more to say may still listen.
func exchange(program net.Conn, early io.Reader, site io.ReadWriteCloser) {
	var ways sync.WaitGroup
	end := func() {
		program.Close()
		site.Close()
	}
	rest := time.AfterFunc(math.MaxInt64, end) // never, unless one way ends
	defer rest.Stop()
	copyTo := func(to io.WriteCloser, from io.Reader) func() {
		return func() {
			if _, err := io.Copy(to, from); err != nil || !closeWrite(to) {
				end()
				return
			}
			rest.Reset(mostRest)
		}
	}
	ways.Go(copyTo(site, early))
	ways.Go(copyTo(program, site))
	ways.Wait()
}

// closeWrite tells the other end that no more comes, and reports whether that can be told.
func closeWrite(to any) bool {
	for {
		if way, ok := to.(interface{ CloseWrite() error }); ok {
			return way.CloseWrite() == nil
		}
		wrapped, ok := to.(interface{ NetConn() net.Conn })
		if !ok {
			return false
		}
		to = wrapped.NetConn()
	}
}

package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// join connects a program and a site that have begun a WebSocket, until one of them ends it. It
// returns a refusal if they cannot be connected.
func join(w http.ResponseWriter, r *http.Request, resp *http.Response, open *connections) *refusal {
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
	if leave, ok := open.enter(conn); ok {
		defer leave()
		if tellSwitch(buffered.Writer, resp) == nil {
			exchange(conn, buffered.Reader, site)
		}
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

// exchange copies both ways, until one way ends.
func exchange(program net.Conn, early io.Reader, site io.ReadWriteCloser) {
	var ways sync.WaitGroup
	end := func() {
		program.Close()
		site.Close()
	}
	ways.Go(func() {
		defer end()
		io.Copy(site, early)
	})
	ways.Go(func() {
		defer end()
		io.Copy(program, site)
	})
	ways.Wait()
}

//go:build !linux || !(amd64 || arm64)

package stamps

import (
	"net"
	"syscall"
	"time"
)

// stamp does nothing here: only Linux stamps what arrives at a TCP connection.
func stamp(string, string, syscall.RawConn) error { return nil }

// receive reads from a connection, and returns the time after that.
func receive(conn net.Conn, p []byte) (n int, at time.Time, err error) {
	n, err = conn.Read(p)
	return n, time.Now(), err
}

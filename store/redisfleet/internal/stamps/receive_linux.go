//go:build amd64 || arm64

package stamps

import (
	"encoding/binary"
	"io"
	"net"
	"syscall"
	"time"
)

// stamp lets the kernel stamp what arrives at a listener's connections.
func stamp(_, _ string, c syscall.RawConn) (err error) {
	control := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if control != nil {
		return control
	}
	return err
}

// receive reads from a TCP connection, and returns when the kernel received what was read.
func receive(conn net.Conn, p []byte) (n int, at time.Time, err error) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil || len(p) == 0 {
		return 0, at, err
	}
	var control [64]byte
	var failure error
	size := 0
	err = raw.Read(func(fd uintptr) bool {
		for {
			n, size, _, _, failure = syscall.Recvmsg(int(fd), p, control[:], 0)
			if failure != syscall.EINTR {
				return failure != syscall.EAGAIN
			}
		}
	})
	switch {
	case err != nil:
		return 0, at, err
	case failure != nil:
		return 0, at, failure
	case n == 0:
		return 0, at, io.EOF
	}
	return n, stampOf(control[:size]), nil
}

// stampOf returns the kernel's stamp. If there is none, it returns the time now: the kernel
// begins a moment after the first listener on the machine asks for stamps.
func stampOf(control []byte) time.Time {
	messages, _ := syscall.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SO_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Now()
}

//go:build amd64 || arm64

package judge_test

import (
	"encoding/binary"
	"io"
	"net"
	"syscall"
	"time"
)

// stamps lets the kernel stamp what arrives at a listener's connections.
func stamps(_, _ string, c syscall.RawConn) (err error) {
	control := c.Control(func(fd uintptr) {
		err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_TIMESTAMPNS, 1)
	})
	if control != nil {
		return control
	}
	return err
}

// A stamped is a connection that knows when what was read last had arrived.
type stamped struct {
	*net.TCPConn
	at time.Time
}

func (c *stamped) Read(p []byte) (n int, err error) {
	raw, err := c.SyscallConn()
	if err != nil || len(p) == 0 {
		return 0, err
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
		return 0, err
	case failure != nil:
		return 0, failure
	case n == 0:
		return 0, io.EOF
	}
	c.at = stampOf(control[:size])
	return n, nil
}

func stampOf(control []byte) time.Time {
	messages, _ := syscall.ParseSocketControlMessage(control)
	for _, m := range messages {
		if m.Header.Level == syscall.SOL_SOCKET && m.Header.Type == syscall.SO_TIMESTAMPNS && len(m.Data) >= 16 {
			return time.Unix(int64(binary.NativeEndian.Uint64(m.Data)), int64(binary.NativeEndian.Uint64(m.Data[8:])))
		}
	}
	return time.Now()
}

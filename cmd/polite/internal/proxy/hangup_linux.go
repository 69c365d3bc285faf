package proxy

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasHungUp reports whether the other end of a connection has closed it, also if there is
// something to read before.
func hasHungUp(conn net.Conn) (gone bool) {
	if wrapped, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = wrapped.NetConn()
	}
	socket, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	err = raw.Control(func(fd uintptr) {
		state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
		n, err := unix.Poll(state, 0)
		gone = err == nil && n > 0
	})
	return gone || err != nil
}

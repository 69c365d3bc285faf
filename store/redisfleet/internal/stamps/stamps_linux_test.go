//go:build amd64 || arm64

package stamps_test

import (
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/stamps"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What arrives is stamped when it does, and not when someone finds the time to read it.
func TestArrivalIsStamped(t *testing.T) {
	l, err := stamps.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	conn, err := l.Accept()
	require.NoError(t, err)
	site := conn.(*stamps.Conn)
	defer site.Close()
	for tries := 0; !send(t, client, site); tries++ { // the kernel begins soon after it is asked to
		require.Less(t, tries, 100_000)
	}
	for range 3 {
		assert.True(t, send(t, client, site))
	}
}

// send sends a request, and reads it once it has arrived. It reports whether it was stamped
// before it was read.
func send(t *testing.T, client net.Conn, site *stamps.Conn) (stamped bool) {
	wrote := time.Now()
	client.Write([]byte("a request"))
	arrived(t, site.Conn.(*net.TCPConn))
	reads := time.Now()
	stamped = true
	for range len("a request") / 3 { // in parts, as a server may
		_, err := site.Read(make([]byte, 3))
		require.NoError(t, err)
		at := site.Arrived()
		assert.GreaterOrEqual(t, at.UnixNano(), wrote.UnixNano())
		stamped = stamped && at.UnixNano() < reads.UnixNano()
	}
	return stamped
}

// arrived waits until something can be read, and leaves it there.
func arrived(t *testing.T, conn *net.TCPConn) {
	raw, err := conn.SyscallConn()
	require.NoError(t, err)
	require.NoError(t, raw.Read(func(fd uintptr) bool {
		n, _, _ := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return n > 0
	}))
}

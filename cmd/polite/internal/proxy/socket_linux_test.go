package proxy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Both ways tell the user of a peer, whatever kind of socket the peer has.
func TestUserOf(t *testing.T) {
	for _, listen := range []string{"127.0.0.1:0", "[::]:0", "[::1]:0"} {
		for _, dial := range []string{"127.0.0.1", "[::ffff:127.0.0.1]", "[::1]"} {
			if listen == "127.0.0.1:0" && dial == "[::1]" || listen == "[::1]:0" && dial != "[::1]" {
				continue // leads nowhere
			}
			l, err := net.Listen("tcp", listen)
			if err != nil {
				t.Skipf("%s: %v", listen, err)
			}
			_, port, err := net.SplitHostPort(l.Addr().String())
			require.NoError(t, err)
			program := connect(t, dial, port)
			conn, err := l.Accept()
			require.NoError(t, err)

			name := listen + " from " + dial
			end := socket{addrOf(conn.RemoteAddr().(*net.TCPAddr)), addrOf(conn.LocalAddr().(*net.TCPAddr))}
			uid, found, err := end.diagnose()
			if errors.Is(err, syscall.EPROTONOSUPPORT) || errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
				t.Log("the kernel tells nothing of sockets here: ", err)
			} else {
				require.NoError(t, err)
				assert.True(t, found, name)
				assert.Equal(t, os.Geteuid(), uid, name)
			}
			uid, found = end.lookUp()
			assert.True(t, found, name)
			assert.Equal(t, os.Geteuid(), uid, name)
			assert.True(t, SameUser(conn), name)

			program.Close()
			assert.False(t, SameUser(conn), "%s: nobody has the other end of a closed connection", name)
			conn.Close()
			l.Close()
		}
	}
}

// connect connects to an address as a program does whose sockets are all for IPv6, if the
// address is written so. (Package net takes one for IPv4 where that is enough.)
func connect(t *testing.T, host, port string) net.Conn {
	if !strings.Contains(host, "ffff") {
		conn, err := net.Dial("tcp", host+":"+port)
		require.NoError(t, err)
		return conn
	}
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	to := netip.MustParseAddrPort(host + ":" + port)
	require.NoError(t, syscall.Connect(fd, &syscall.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}))
	file := os.NewFile(uintptr(fd), "socket")
	defer file.Close()
	conn, err := net.FileConn(file)
	require.NoError(t, err)
	return conn
}

// The kernel's answer counts if it is about the socket, and somebody has this open.
func TestReadAnswer(t *testing.T) {
	for _, family := range []byte{syscall.AF_INET, syscall.AF_INET6} {
		addr := netip.MustParseAddr(map[byte]string{syscall.AF_INET: "127.0.0.1", syscall.AF_INET6: "::1"}[family])
		end := socket{netip.AddrPortFrom(addr, 54321), netip.AddrPortFrom(addr, 3128)}
		answer := func(of socket, state byte, uid, inode uint32, size int) []byte {
			data := make([]byte, 72)
			data[0], data[1] = family, state
			of.append(data[4:4])
			binary.NativeEndian.PutUint32(data[64:], uid)
			binary.NativeEndian.PutUint32(data[68:], inode)
			return message(20, data[:size])
		}
		for name, test := range map[string]struct {
			answer []byte
			uid    int
			found  bool
			err    error
		}{
			"open":                 {answer(end, 1, 1000, 77, 72), 1000, true, nil},
			"we have ended":        {answer(end, 8, 1000, 77, 72), 1000, true, nil},
			"closed, in TIME_WAIT": {answer(end, 6, 0, 0, 72), 0, false, nil},
			"being closed":         {answer(end, 4, 1000, 77, 72), 1000, false, nil},
			"without an owner":     {answer(end, 1, 0, 0, 72), 0, false, nil},
			"another socket":       {answer(socket{end.remote, end.local}, 1, 1000, 77, 72), 1000, false, nil},
			"short":                {answer(end, 1, 1000, 77, 71), 0, false, io.ErrUnexpectedEOF},
			"of another type":      {message(21, answer(end, 1, 1000, 77, 72)[16:]), 0, false, io.ErrUnexpectedEOF},
			"nothing":              {nil, 0, false, io.ErrUnexpectedEOF},
			"cut":                  {answer(end, 1, 1000, 77, 72)[:50], 0, false, io.ErrUnexpectedEOF},
			"an error":             {message(syscall.NLMSG_ERROR, []byte{254, 255, 255, 255}), 0, false, syscall.ENOENT},
			"half an error":        {message(syscall.NLMSG_ERROR, []byte{254, 255, 255}), 0, false, io.ErrUnexpectedEOF},
		} {
			uid, found, err := end.read(test.answer)
			assert.Equal(t, test.err, err, name)
			assert.Equal(t, test.found, found, name)
			assert.Equal(t, test.uid, uid, name)
		}
	}
}

// message returns a message of netlink(7).
func message(kind uint16, data []byte) []byte {
	m := make([]byte, 16, 16+len(data))
	binary.NativeEndian.PutUint32(m, uint32(16+len(data)))
	binary.NativeEndian.PutUint16(m[4:], kind)
	m = append(m, data...)
	return append(m, make([]byte, -len(m)&3)...)
}

// A socket that nobody has open is not root's, whatever the table says.
func TestFind(t *testing.T) {
	const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
	row := func(local, remote, state, uid, inode string) string {
		return fmt.Sprintf("   0: %s %s %s 00000000:00000000 00:00000000 00000000 %s 0 %s 1 0000000000000000 20 4 30 10 -1\n", local, remote, state, uid, inode)
	}
	const (
		here, there   = "0100007F:0C38", "0100007F:D431" // 127.0.0.1:3128, :54321
		here6, there6 = "0000000000000000FFFF00000100007F:0C38", "0000000000000000FFFF00000100007F:D431"
	)
	end := socket{addrIn(there), addrIn(here)}
	require.Equal(t, "127.0.0.1:54321", end.local.String())
	for _, test := range []struct {
		name, table string
		uid         int
		found       bool
	}{
		{"open", row(there, here, "01", "1000", "77"), 1000, true},
		{"open, for IPv6", row(there6, here6, "01", "1001", "77"), 1001, true},
		{"our own end", row(here, there, "01", "1000", "77"), 0, false},
		{"after ours", row(here, there, "01", "0", "76") + row(there, here, "01", "1000", "77"), 1000, true},
		{"we have ended", row(there, here, "08", "1000", "77"), 1000, true},
		{"closed, in TIME_WAIT", row(there, here, "06", "0", "0"), 0, false},
		{"closed, in FIN_WAIT2", row(there, here, "05", "0", "0"), 0, false},
		{"being closed", row(there, here, "04", "1000", "77"), 0, false},
		{"without an owner", row(there, here, "01", "0", "0"), 0, false},
		{"another port", row("0100007F:D432", here, "01", "1000", "77"), 0, false},
		{"no table", "\x00\xff:::", 0, false},
		{"no address", row("0100007F:D43", here, "01", "1000", "77"), 0, false},
		{"more than an address", row(there+"x", here, "01", "1000", "77"), 0, false},
		{"no state", row(there, here, "xx", "1000", "77"), 0, false},
		{"no user", row(there, here, "01", "x", "77"), 0, false},
		{"short", "0: 0 0\n", 0, false},
	} {
		uid, found := end.find(strings.NewReader(head + test.table))
		assert.Equal(t, test.found, found, test.name)
		if test.found {
			assert.Equal(t, test.uid, uid, test.name)
		}
	}
}

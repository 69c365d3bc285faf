package proxy

import (
	"errors"
	"fmt"
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
		{"short", "0: 0 0\n", 0, false},
	} {
		uid, found := end.find(strings.NewReader(head + test.table))
		assert.Equal(t, test.found, found, test.name)
		if test.found {
			assert.Equal(t, test.uid, uid, test.name)
		}
	}
}

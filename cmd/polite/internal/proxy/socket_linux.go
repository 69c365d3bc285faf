package proxy

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// hasHungUp reports whether the other end of a connection has closed it, also if there is
// something to read before.
func hasHungUp(conn *boundedConn) (gone bool) {
	raw, err := conn.Conn.(syscall.Conn).SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) {
			state := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
			n, err := unix.Poll(state, 0)
			gone = err == nil && n > 0
		})
	}
	return gone || err != nil
}

const tellsUsers = true

// userOf returns the user who owns the other end of a connection, if this is a socket of this
// machine. It asks the kernel (sock_diag(7)). Where the kernel cannot be asked, it reads the
// tables of sockets.
func userOf(conn net.Conn) (uid int, ok bool) {
	here, isTCP := conn.LocalAddr().(*net.TCPAddr)
	there, alsoTCP := conn.RemoteAddr().(*net.TCPAddr)
	if !isTCP || !alsoTCP {
		return 0, false
	}
	end := socket{addrOf(there), addrOf(here)}
	if from := end.local.Addr(); !from.IsLoopback() && from != end.remote.Addr() {
		return 0, false // it comes from another machine
	}
	uid, found, err := end.diagnose()
	if err != nil {
		uid, found = end.lookUp()
	}
	return uid, found
}

func addrOf(a *net.TCPAddr) netip.AddrPort {
	at := a.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
}

// A socket is one end of a connection, as its owner sees it.
type socket struct{ local, remote netip.AddrPort }

// Somebody has a socket open only in these states. In the others, the kernel may give the
// socket of any user to root.
const (
	established = 1
	closeWait   = 8
)

func isOpen(state uint64) bool { return state == established || state == closeWait }

// diagnose asks the kernel who owns s.
func (s socket) diagnose() (uid int, found bool, err error) {
	fd, err := syscall.Socket(syscall.AF_NETLINK, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, syscall.NETLINK_INET_DIAG)
	if err != nil {
		return 0, false, err
	}
	defer syscall.Close(fd)
	patience := syscall.NsecToTimeval(time.Second.Nanoseconds())
	if err := syscall.SetsockoptTimeval(fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &patience); err != nil {
		return 0, false, err
	}
	if err := syscall.Sendto(fd, s.question(), 0, &syscall.SockaddrNetlink{Family: syscall.AF_NETLINK}); err != nil {
		return 0, false, err
	}
	answer := make([]byte, 4096)
	n, _, err := syscall.Recvfrom(fd, answer, 0)
	if err != nil {
		return 0, false, err
	}
	return s.read(answer[:n])
}

const (
	sockDiagByFamily = 20 // SOCK_DIAG_BY_FAMILY
	requestSize      = 56 // of struct inet_diag_req_v2
	answerSize       = 72 // of struct inet_diag_msg
	noCookie         = 0xffffffff
)

// question returns the message that asks for s.
func (s socket) question() []byte {
	m := make([]byte, syscall.NLMSG_HDRLEN+requestSize)
	binary.NativeEndian.PutUint32(m, uint32(len(m)))
	binary.NativeEndian.PutUint16(m[4:], sockDiagByFamily)
	binary.NativeEndian.PutUint16(m[6:], syscall.NLM_F_REQUEST)
	req := m[syscall.NLMSG_HDRLEN:]
	req[0], req[1] = syscall.AF_INET, syscall.IPPROTO_TCP
	if s.local.Addr().Is6() {
		req[0] = syscall.AF_INET6
	}
	binary.NativeEndian.PutUint32(req[4:], noCookie) // all states
	s.append(req[8:8])
	binary.NativeEndian.PutUint32(req[48:], noCookie)
	binary.NativeEndian.PutUint32(req[52:], noCookie)
	return m
}

// append appends the ports and addresses of s, as struct inet_diag_sockid has them.
func (s socket) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, s.local.Port())
	b = binary.BigEndian.AppendUint16(b, s.remote.Port())
	for _, addr := range []netip.Addr{s.local.Addr(), s.remote.Addr()} {
		var room [16]byte
		copy(room[:], addr.AsSlice())
		b = append(b, room[:]...)
	}
	return b
}

// read reads an answer about s.
func (s socket) read(answer []byte) (uid int, found bool, err error) {
	messages, _ := syscall.ParseNetlinkMessage(answer) // none if it is damaged
	if len(messages) == 0 {
		return 0, false, io.ErrUnexpectedEOF
	}
	m := messages[0]
	if m.Header.Type == syscall.NLMSG_ERROR && len(m.Data) >= 4 {
		return 0, false, syscall.Errno(-int32(binary.NativeEndian.Uint32(m.Data))) // also if the kernel tells nothing of TCP
	}
	if m.Header.Type != sockDiagByFamily || len(m.Data) < answerSize {
		return 0, false, io.ErrUnexpectedEOF
	}
	inode := binary.NativeEndian.Uint32(m.Data[68:])
	return int(binary.NativeEndian.Uint32(m.Data[64:])), s == socketIn(m.Data) && inode != 0 && isOpen(uint64(m.Data[1])), nil
}

// socketIn returns the socket that a struct inet_diag_msg is about. That of a program which has
// connected by IPv4 may be for IPv6.
func socketIn(data []byte) socket {
	size := 4
	if data[0] == syscall.AF_INET6 {
		size = 16
	}
	end := func(addr, port []byte) netip.AddrPort {
		a, _ := netip.AddrFromSlice(addr[:size])
		return netip.AddrPortFrom(a.Unmap(), binary.BigEndian.Uint16(port))
	}
	return socket{local: end(data[8:], data[4:]), remote: end(data[24:], data[6:])}
}

// lookUp looks for s in the tables of sockets. A program whose socket is for IPv6 stands in
// the second one, also if it has connected by IPv4.
func (s socket) lookUp() (uid int, found bool) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(table)
		if err != nil {
			continue
		}
		uid, found = s.find(f)
		f.Close()
		if found {
			return uid, true
		}
	}
	return 0, false
}

// find looks for s in a table.
func (s socket) find(table io.Reader) (uid int, found bool) {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		cells := strings.Fields(lines.Text())
		if len(cells) < 10 || s.local != addrIn(cells[1]) || s.remote != addrIn(cells[2]) {
			continue
		}
		state, _ := strconv.ParseUint(cells[3], 16, 8)
		uid, err := strconv.Atoi(cells[7])
		return uid, err == nil && isOpen(state) && cells[9] != "0"
	}
	return 0, false
}

// addrIn reads an address of a table: words of 32 bits in the byte order of the machine, and
// a port. If it cannot be read, it is zero.
func addrIn(cell string) netip.AddrPort {
	octets, err := hex.DecodeString(strings.Replace(cell, ":", "", 1))
	if err != nil || len(octets) != 4+2 && len(octets) != 16+2 {
		return netip.AddrPort{}
	}
	size := len(octets) - 2
	var in []byte
	for word := range slices.Chunk(octets[:size], 4) {
		in = binary.NativeEndian.AppendUint32(in, binary.BigEndian.Uint32(word))
	}
	addr, _ := netip.AddrFromSlice(in)
	return netip.AddrPortFrom(addr.Unmap(), binary.BigEndian.Uint16(octets[size:]))
}

package child

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// hotline returns the two ends of a connection to the doorkeeper.
func hotline() (near *net.UnixConn, far *os.File, err error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	far = os.NewFile(uintptr(ends[1]), "hotline")
	if near, err = connOf(os.NewFile(uintptr(ends[0]), "hotline")); err != nil {
		far.Close()
	}
	return near, far, err
}

// connOf returns a file that is a socket as a connection. It closes the file.
func connOf(f *os.File) (*net.UnixConn, error) {
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return conn.(*net.UnixConn), nil
}

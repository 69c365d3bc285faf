//go:build linux || darwin || freebsd

package terminal

import (
	"os"
	"syscall"
	"unsafe"
)

// askWidth asks a terminal for its columns. It returns 0 if the terminal does not know.
func askWidth(terminal *os.File) int {
	var size struct{ rows, columns, x, y uint16 }
	conn, err := terminal.SyscallConn()
	if err != nil {
		return 0
	}
	conn.Control(func(fd uintptr) { // if it fails, the size is 0
		syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	})
	return int(size.columns)
}

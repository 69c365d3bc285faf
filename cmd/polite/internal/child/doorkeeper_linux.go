package child

import (
	"encoding/gob"
	"net"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// doorkeeper is the name by which this program knows that it is one.
const doorkeeper = "polite (doorkeeper)"

// Enter makes this process the doorkeeper of a room, if it has been started as one. It does
// not return then. Call it first in main.
func Enter() {
	if len(os.Args) != 1 || os.Args[0] != doorkeeper {
		return
	}
	runtime.LockOSThread() // rights are those of a thread
	unix.CloseOnExec(3)
	line, err := connOf(os.NewFile(3, "hotline"))
	if err != nil {
		os.Exit(1)
	}
	if err := keep(line); err != nil {
		line.Write([]byte(err.Error()))
		os.Exit(1)
	}
}

// keep makes a listener in the room, and becomes the program that it is told.
func keep(line *net.UnixConn) error {
	if err := raise("lo"); err != nil {
		return err
	}
	if err := send(line); err != nil {
		return err
	}
	var p program
	if gob.NewDecoder(line).Decode(&p) != nil {
		os.Exit(1) // there is no order
	}
	if err := resign(); err != nil {
		return err
	}
	return syscall.Exec(p.Path, p.Args, p.Env)
}

// raise sets a network interface up.
func raise(name string) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq(name)
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return os.NewSyscallError("interface lo", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request))
}

// send sends a listener in the room.
func send(line *net.UnixConn) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	f, err := listener.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, err = line.WriteMsgUnix([]byte("."), unix.UnixRights(int(f.Fd())), nil)
	return err
}

// resign gives up what only a doorkeeper may do, and stays bound to the one who started it.
func resign() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
}

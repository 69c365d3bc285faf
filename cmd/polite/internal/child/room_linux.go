package child

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// room returns a place with a network in which there is nothing but the proxy. A process of
// this program, the doorkeeper, makes it, and becomes the command when it is told which.
func room(cmd *exec.Cmd) (*place, error) {
	line, far, err := hotline()
	if err != nil {
		return nil, err
	}
	cmd.Path, cmd.Args, cmd.Env = "/proc/self/exe", []string{doorkeeper}, os.Environ()
	cmd.ExtraFiles = []*os.File{far}
	cmd.SysProcAttr = apart()
	bind(cmd)
	err = cmd.Start()
	far.Close()
	if err != nil {
		line.Close()
		return nil, forbidden(err)
	}
	p := &place{cmd: cmd, isolated: true, start: func(p program) error { return order(line, p) }}
	p.leave = func() {
		line.Close() // a doorkeeper that waits for its order ends
		if cmd.ProcessState == nil {
			cmd.Wait()
		}
	}
	if p.listener, err = receive(line); err != nil {
		p.leave()
		return nil, forbidden(err)
	}
	return p, nil
}

// apart are the attributes of a process in namespaces of its own. The user is the same in
// there, and may set up the network.
func apart() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_NET_ADMIN},
	}
}

// forbidden returns the error for a room that cannot be made.
func forbidden(err error) error {
	return fmt.Errorf("--isolate: this system lets no program make a network of its own: %w"+
		" (Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0; Docker: --security-opt seccomp=unconfined)", err)
}

// receive returns the listener that the doorkeeper sends.
func receive(line *net.UnixConn) (net.Listener, error) {
	text, rights := make([]byte, 1024), make([]byte, unix.CmsgSpace(4))
	n, m, _, _, err := line.ReadMsgUnix(text, rights)
	if err != nil {
		return nil, err
	}
	messages, _ := unix.ParseSocketControlMessage(rights[:m])
	if len(messages) == 0 {
		return nil, errors.New(string(text[:n])) // instead, why there is none
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// order lets the doorkeeper become a program. The error is why it cannot.
func order(line *net.UnixConn, p program) error {
	if err := gob.NewEncoder(line).Encode(p); err != nil {
		return err
	}
	text := make([]byte, 1024)
	if n, _ := line.Read(text); n > 0 {
		return errors.New(string(text[:n]))
	}
	return nil // the kernel has closed its end
}

// doorkeeper is the name by which this program knows that it is one.
const doorkeeper = "polite (doorkeeper)"

// Enter makes this process the doorkeeper of a room, if it has been started as one. It does
// not return then. Call it first in main.
func Enter() {
	if !slices.Equal(os.Args, []string{doorkeeper}) {
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
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0) // closed by what the doorkeeper becomes
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
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

// bind lets the kernel end a command as soon as this process ends.
func bind(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

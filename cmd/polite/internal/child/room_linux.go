package child

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
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
	messages, err := unix.ParseSocketControlMessage(rights[:m])
	if err != nil || len(messages) == 0 {
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

//go:build unix

package child

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// signals are those that end programs, or tell them something. They are caught, so that this
// process outlives the command.
type signals struct{ caught chan os.Signal }

// catch catches signals, except those that the user has told to ignore, as nohup does.
func catch() *signals {
	s := &signals{make(chan os.Signal, 16)}
	for _, one := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2} {
		if !signal.Ignored(one) {
			signal.Notify(s.caught, one)
		}
	}
	signal.Notify(s.caught, syscall.SIGPIPE) // what is ignored, a command ignores, too
	return s
}

func (s *signals) release() { signal.Stop(s.caught) }

// pass passes signals on to a process, until stop is called.
func (s *signals) pass(to *os.Process) (stop func()) {
	done := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			select {
			case one := <-s.caught:
				if one != syscall.SIGPIPE && !fromTerminal(one) {
					to.Signal(one)
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done); <-over }
}

// fromTerminal reports whether a signal comes from the keys of a terminal. The command is in
// the foreground then, too, and has it already. A second Ctrl-C means more to many programs.
func fromTerminal(one os.Signal) bool {
	if one != syscall.SIGINT && one != syscall.SIGQUIT {
		return false
	}
	terminal, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false
	}
	defer terminal.Close()
	foreground, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && foreground == unix.Getpgrp()
}

// ended returns the exit status of a command that has ended.
func ended(cmd *exec.Cmd, err error) (status int, _ error) {
	if cmd.ProcessState == nil {
		return 0, err
	}
	if how, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && how.Signaled() {
		return 128 + int(how.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

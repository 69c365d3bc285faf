//go:build !unix

package child

import (
	"os"
	"os/exec"
	"os/signal"
)

// signals are Ctrl-C, which the command gets by itself. It is caught, so that this process
// outlives the command.
type signals struct{ caught chan os.Signal }

func catch() *signals {
	s := &signals{make(chan os.Signal, 1)}
	signal.Notify(s.caught, os.Interrupt)
	return s
}

func (s *signals) release() { signal.Stop(s.caught) }

func (s *signals) pass(*os.Process) (stop func()) { return func() {} }

// ended returns the exit status of a command that has ended.
func ended(cmd *exec.Cmd, err error) (status int, _ error) {
	if cmd.ProcessState == nil {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

package child

import (
	"net"
	"os/exec"
)

// A program is what is executed.
type program struct {
	Path string
	Args []string
	Env  []string
}

// A place is where a command runs. Its listener is where the command finds the proxy.
type place struct {
	listener net.Listener
	isolated bool
	cmd      *exec.Cmd // the process
	start    func(program) error
	leave    func() // ends the process, unless it has ended
}

// here returns a place on this machine.
func here(cmd *exec.Cmd) (*place, error) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	start := func(p program) error {
		cmd.Path, cmd.Args, cmd.Env = p.Path, p.Args, p.Env
		bind(cmd)
		return cmd.Start()
	}
	return &place{listener: listener, cmd: cmd, start: start, leave: func() {}}, nil
}

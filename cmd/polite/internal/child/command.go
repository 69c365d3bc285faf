// Package child runs a command so that what it fetches goes through a proxy: it sets the
// variables by which programs find a proxy and the certificates to trust, passes signals on,
// and returns the exit status. In a room of its own, the command has no network but the proxy.
package child

import (
	"io"
	"net"
	"net/url"
	"os/exec"
	"runtime"
)

// A Command is a command that is to be run behind a proxy.
type Command struct {
	Args    []string // its name and its arguments
	Environ []string // the environment, to which Run adds
	In      io.Reader
	Out     io.Writer
	Err     io.Writer

	Isolate Isolation

	// Open opens a proxy on a listener, which is the proxy's from then on. isolated says that the
	// command has no network but the proxy.
	Open func(l net.Listener, isolated bool) (Gate, error)
}

// Isolation says whether a command has no network but the proxy.
type Isolation int

// Some systems let no command have a network of its own.
const (
	IfPossible Isolation = iota
	Always               // or the command is not run
	Never
)

// Run runs the command and returns its exit status: 128 and the signal, if one has ended it.
// If it does not start, the error is a *StartError. It ends if this process ends, on Linux
// even if this is killed.
func (c *Command) Run() (status int, err error) {
	runtime.LockOSThread() // Linux counts the end of the thread that has started it
	defer runtime.UnlockOSThread()
	path, err := lookUp(c.Args[0], c.Environ)
	if err != nil {
		return 0, err
	}
	signals := catch()
	defer signals.release()
	place, err := c.place()
	if err != nil {
		return 0, err
	}
	defer place.leave()
	gate, err := c.Open(place.listener, place.isolated)
	if err != nil {
		place.listener.Close()
		return 0, err
	}
	f, err := newFolder()
	if err != nil {
		return 0, err
	}
	defer f.remove()
	return c.behind(gate, f, place, path, signals)
}

// behind runs the command in its place, behind a proxy.
func (c *Command) behind(gate Gate, f folder, p *place, path string, signals *signals) (status int, err error) {
	env, err := environmentOf(c.Environ, gate, f)
	if err != nil {
		return 0, err
	}
	if err := p.start(program{path, c.Args, env}); err != nil {
		return 0, &StartError{notExecutable, err}
	}
	defer signals.pass(p.cmd.Process)()
	return ended(p.cmd, p.cmd.Wait())
}

// environmentOf returns an environment in which programs find the proxy. The files that it
// names are in f.
func environmentOf(env environment, gate Gate, f folder) (environment, error) {
	paths, err := writeFiles(f, gate, env)
	if err != nil {
		return nil, err
	}
	return env.with(variables(gate, paths, env)), nil
}

// place returns where the command is to run.
func (c *Command) place() (*place, error) {
	cmd := func() *exec.Cmd { return &exec.Cmd{Stdin: c.In, Stdout: c.Out, Stderr: c.Err} }
	if c.Isolate == Never {
		return here(cmd())
	}
	p, err := room(cmd())
	if err != nil && c.Isolate == IfPossible {
		return here(cmd())
	}
	return p, err
}

// A Gate is a proxy as programs see it.
type Gate struct {
	URL *url.URL // with the user and the password, if the proxy asks for them
	CA  []byte   // the certificate to trust, as PEM
}

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

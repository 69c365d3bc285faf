package stage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A process is one of the fleet. It ends when its standard input ends, and so when this
// process does, however that comes.
type process struct {
	number int
	cmd    *exec.Cmd
	in     io.WriteCloser
	err    bytes.Buffer
	ended  chan error // has how it ended; nil before it runs
	dead   bool       // it was killed
}

// ready is what a process says when it can begin; then it reads begin.
const (
	ready = "ready\n"
	begin = "begin\n"
)

// start starts a process, and waits until it is ready.
func start(number int, command []string) (*process, error) {
	p := &process{number: number, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Stderr = &p.err
	endWithParent(p.cmd)
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	said := make([]byte, len(ready))
	if _, err := io.ReadFull(out, said); err != nil || string(said) != ready {
		p.kill()
		return nil, p.failed(errors.New("it does not get ready"))
	}
	p.ended = make(chan error, 1)
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

// begin lets the process crawl.
func (p *process) begin() error {
	_, err := io.WriteString(p.in, begin)
	return err
}

// kill ends the process at once, also if it is paused, and waits for it.
func (p *process) kill() {
	p.dead = true
	p.cmd.Process.Kill()
	if p.ended == nil {
		p.cmd.Wait()
		return
	}
	p.ended <- <-p.ended
}

// end lets the process end, and returns its error.
func (p *process) end() error {
	if p.dead {
		return nil
	}
	p.in.Close()
	select {
	case err := <-p.ended:
		p.ended <- err
		return p.failed(err)
	case <-time.After(5 * time.Second):
		p.kill()
		return p.failed(errors.New("it does not end"))
	}
}

// failed returns why the process failed, if err is not nil. The process says more.
func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("process %d: %w: %s", p.number+1, err, strings.TrimSpace(p.err.String()))
}

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
	*exec.Cmd
	number int
	in     io.WriteCloser
	said   bytes.Buffer // on its standard error
	dead   bool         // it was killed
	ended  chan struct{}
	err    error // how it ended
}

// ready is what a process says when it can begin; then it reads begin.
const (
	ready = "ready\n"
	begin = "begin\n"
)

// start starts a process, and waits until it is ready.
func start(number int, command []string) (*process, error) {
	p := &process{Cmd: exec.Command(command[0], command[1:]...), number: number, ended: make(chan struct{})}
	p.Stderr = &p.said
	endWithParent(p.Cmd)
	var err error
	if p.in, err = p.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	answer := make([]byte, len(ready))
	_, err = io.ReadFull(out, answer)
	go func() {
		p.err = p.Wait()
		close(p.ended)
	}()
	if err != nil || string(answer) != ready {
		p.kill()
		return nil, p.failed(errors.New("it does not get ready"))
	}
	return p, nil
}

// kill ends the process at once, also if it is paused, and waits for it.
func (p *process) kill() {
	p.dead = true
	p.Process.Kill()
	<-p.ended
}

// end lets the process end, and returns its error.
func (p *process) end() error {
	if p.dead {
		return nil
	}
	p.in.Close()
	late := time.AfterFunc(5*time.Second, func() { p.Process.Kill() })
	defer late.Stop()
	<-p.ended
	return p.failed(p.err)
}

// failed returns why the process failed, if err is not nil. The process says more.
func (p *process) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("process %d: %w: %s", p.number+1, err, strings.TrimSpace(p.said.String()))
}

// Package stage plays a fleet on this machine: a server, a site, and processes that crawl
// the site together, while some of them are killed and paused.
package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/go-polite/polite/store/redisfleet/cmd/politefleet/internal/timeline"
	"github.com/go-polite/polite/store/redisfleet/internal/signals"
)

// A Plan says what happens. Times are since the beginning.
type Plan struct {
	Processes int           // at least three
	Gap       time.Duration // that the site asks for
	Length    time.Duration

	Kill          time.Duration // of the second process
	Pause, Resume time.Duration // of the third, after that
	Break         time.Duration // the next page after this is told to wait for BreakFor
	BreakFor      time.Duration // whole seconds
}

// A Play is a Plan that is played.
type Play struct {
	Plan
	ServerName string // what the fleet shares

	server    *server
	site      *site
	processes []*process
}

// Open starts what a Plan needs. command is how to start a process: the URLs of the server
// and the site and the number of the process are added to it. Close the Play.
func Open(ctx context.Context, plan Plan, command []string) (*Play, error) {
	p := &Play{Plan: plan}
	if err := p.open(ctx, command); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Play) open(ctx context.Context, command []string) (err error) {
	if p.server, err = openServer(ctx); err != nil {
		return err
	}
	p.ServerName = p.server.Name
	if p.site, err = openSite(ctx, p.Plan); err != nil {
		return err
	}
	for number := range p.Processes {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		process, err := start(number, slices.Concat(command, []string{p.server.URL, p.site.URL, fmt.Sprint(number)}))
		if err != nil {
			return err
		}
		p.processes = append(p.processes, process)
	}
	return nil
}

// Close ends all that Open has started.
func (p *Play) Close() {
	for _, process := range p.processes {
		process.kill()
	}
	if p.site != nil {
		p.site.Close()
	}
	if p.server != nil {
		p.server.Close()
	}
}

// Run plays the plan, and returns the log. Meanwhile it calls watch with the log so far.
func (p *Play) Run(ctx context.Context, watch func(time.Duration, *timeline.Log)) (*timeline.Log, error) {
	began := time.Now()
	p.site.begin(began)
	for _, process := range p.processes {
		if _, err := io.WriteString(process.in, begin); err != nil {
			process.kill()
			return nil, process.failed(err)
		}
	}
	steps := p.steps()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for now := time.Duration(0); now < p.Length; now = time.Since(began) {
		for len(steps) > 0 && steps[0].at <= now {
			if err := steps[0].do(); err != nil {
				return nil, err
			}
			steps = steps[1:]
		}
		watch(now, p.site.sofar())
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	log := p.site.sofar()
	for _, process := range p.processes {
		if err := process.end(); err != nil {
			return nil, err
		}
	}
	return log, nil
}

// A step is something that happens to a process.
type step struct {
	at time.Duration
	do func() error
}

func (p *Play) steps() []step {
	second, third := p.processes[1], p.processes[2]
	steps := []step{{p.Kill, func() error {
		second.kill()
		p.site.note(func(log *timeline.Log, now time.Duration) {
			log.Killed = []timeline.Span{{Process: 1, From: now, To: p.Length}}
		})
		return nil
	}}, {p.Pause, func() error {
		p.site.note(func(log *timeline.Log, now time.Duration) {
			log.Paused = []timeline.Span{{Process: 2, From: now, To: p.Length}}
		})
		return signals.Stop(third.Process)
	}}, {p.Resume, func() error {
		p.site.note(func(log *timeline.Log, now time.Duration) {
			log.Paused = []timeline.Span{{Process: 2, From: log.Paused[0].From, To: now}}
		})
		return signals.Continue(third.Process)
	}}}
	if !signals.Supported {
		return steps[:1]
	}
	return steps
}

// A server is the one that the fleet shares.
type server struct {
	URL   string
	Name  string // what it is
	Close func()
}

// openServer starts redis-server, or a stand-in within this process if there is none.
func openServer(ctx context.Context) (*server, error) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		double, err := miniredis.Run()
		if err != nil {
			return nil, err
		}
		return &server{"redis://" + double.Addr(), "miniredis, because redis-server is not installed", double.Close}, nil
	}
	folder, err := os.MkdirTemp("", "politefleet")
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "redis")
	cmd := exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder)
	endWithParent(cmd)
	if err := cmd.Start(); err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	s := &server{"unix://" + socket, "redis-server", func() {
		cmd.Process.Kill()
		cmd.Wait()
		os.RemoveAll(folder)
	}}
	if err := listens(ctx, socket); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// listens waits until redis-server listens.
func listens(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Second, errors.New("redis-server does not answer"))
	defer cancel()
	for {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

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

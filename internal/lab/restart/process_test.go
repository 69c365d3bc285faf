package restart_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const asCrawler = "RESTART_TEST_AS_CRAWLER"

// A process is a life of the crawler, seen by the test that started it.
type process struct {
	order
	web    *web
	die    func() // kills it
	stop   func() // asks it to end
	wait   func() error
	breaks chan struct{} // one for each break that the crawler's caller knows of
	heard  chan struct{} // closed when the crawler reports no more

	beats  []time.Duration // when they were
	opened time.Duration   // how long it took to open the file
	late   int
	failed []string // its reports of what should not be
}

func newProcess(w *web, o order) *process {
	return &process{order: o, web: w, breaks: make(chan struct{}, 1), heard: make(chan struct{})}
}

// start starts a crawler in a process of its own.
func start(t *testing.T, w *web, o order) *process {
	self, err := os.Executable()
	require.NoError(t, err)
	p, cmd := newProcess(w, o), exec.Command(self, o.arguments()...)
	cmd.Env = append(os.Environ(), asCrawler+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	p.beats = []time.Duration{w.since(time.Now())}
	require.NoError(t, cmd.Start())
	p.die, p.stop, p.wait = func() { cmd.Process.Kill() }, func() { stdin.Close() }, cmd.Wait
	go p.hear(stdout)
	return p
}

// hear notes what the crawler reports.
func (p *process) hear(stdout io.Reader) {
	defer close(p.heard)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // a line without its end does not count
		}
		event, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		clock, about, _ := strings.Cut(rest, " ")
		nanoseconds, _ := strconv.ParseInt(clock, 10, 64)
		p.note(event, time.Unix(0, nanoseconds), about)
	}
}

func (p *process) note(event string, at time.Time, about string) {
	number, _ := strconv.Atoi(about)
	switch event {
	case opened:
		p.opened = time.Duration(number)
	case beat:
		p.beats = append(p.beats, p.web.since(at))
	case told:
		p.web.tell(number, at)
		select {
		case p.breaks <- struct{}{}:
		default:
		}
	case refused:
		p.web.tellRefused(about, at)
	case late:
		p.late++
	default:
		p.failed = append(p.failed, event+": "+about)
	}
}

// end ends the process, and returns its life.
func (p *process) end(kill bool) life {
	l := life{end: p.web.since(time.Now()), killed: kill}
	if kill {
		p.die()
	}
	p.stop()
	<-p.heard
	if err := p.wait(); err != nil && !kill {
		p.failed = append(p.failed, err.Error())
	}
	l.slow = p.slowest(l.end)
	return l
}

// slowest returns the longest time from one beat to the next of late.
func (p *process) slowest(end time.Duration) (longest time.Duration) {
	for i, one := range p.beats {
		next := end
		if i+1 < len(p.beats) {
			next = p.beats[i+1]
		}
		if next > end-3*batch {
			longest = max(longest, next-one)
		}
	}
	return longest
}

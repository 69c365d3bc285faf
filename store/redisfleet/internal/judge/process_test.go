package judge_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/signals"
	"github.com/stretchr/testify/require"
)

const asCrawler = "JUDGE_TEST_AS_CRAWLER"

// A process is a crawler, as the one who started it sees it.
type process struct {
	order
	site  *site
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{} // closed when there is no more to hear

	mu     sync.Mutex
	born   time.Duration
	hears  time.Duration // when it heard the others first
	killed time.Duration
	stops  []span
	lost   []time.Duration // when it dropped what it had reserved
	warned []time.Duration // … and knew that data may be lost
	heard  []news
	unheld []news
	late   int
	failed []string // what it told that should not be
}

// A span is some time. Its end is 0 if it goes on.
type span struct{ from, to time.Duration }

// News are of a break that was told at a time, and lasts until another.
type news struct {
	host      string
	at, until time.Duration
}

func start(t testing.TB, binary string, s *site, o order) *process {
	arguments, err := json.Marshal(o)
	require.NoError(t, err)
	p := &process{order: o, site: s, cmd: exec.Command(binary, string(arguments)), ended: make(chan struct{}), born: s.now()}
	p.cmd.Env = append(os.Environ(), asCrawler+"=1")
	p.cmd.Stderr = os.Stderr
	p.stdin, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	go p.hear(stdout)
	return p
}

// hear notes what the crawler tells.
func (p *process) hear(stdout io.Reader) {
	defer close(p.ended)
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return // what has no end was not told
		}
		event, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		clock, about, _ := strings.Cut(rest, " ")
		nanoseconds, _ := strconv.ParseInt(clock, 10, 64)
		p.note(event, time.Duration(nanoseconds), about)
	}
}

func (p *process) note(event string, at time.Duration, about string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch event {
	case told:
		number, _ := strconv.Atoi(about)
		p.site.tell(number, at)
	case heard:
		left, lane, _ := strings.Cut(about, " ")
		nanoseconds, _ := strconv.ParseInt(left, 10, 64)
		p.heard = append(p.heard, news{hostOf(lane), at, at + time.Duration(nanoseconds)})
	case unheld:
		p.unheld = append(p.unheld, news{host: hostOf(about), at: at})
	case hears:
		p.hears = at
	case lost:
		p.lost = append(p.lost, at)
		if strings.Contains(about, "lost data") {
			p.warned = append(p.warned, at)
		}
	case late:
		p.late++
	default:
		p.failed = append(p.failed, event+": "+about)
	}
}

// hostOf returns the host of a lane in Turns.
func hostOf(lane string) string {
	return strings.TrimSuffix(strings.TrimPrefix(lane, "origin http://"), ":80")
}

func (p *process) kill() {
	p.mu.Lock()
	p.killed = p.site.now()
	p.mu.Unlock()
	p.cmd.Process.Kill()
	<-p.ended
	p.cmd.Wait()
}

// stop stops a process until resume. Its answers wait, too.
func (p *process) stop() {
	p.site.setStill(p.Life, true)
	p.mu.Lock()
	p.stops = append(p.stops, span{from: p.site.now()})
	p.mu.Unlock()
	signals.Stop(p.cmd.Process)
}

func (p *process) resume() {
	p.mu.Lock()
	p.stops[len(p.stops)-1].to = p.site.now()
	p.mu.Unlock()
	signals.Continue(p.cmd.Process)
	time.AfterFunc(2*part, func() { p.site.setStill(p.Life, false) })
}

// end ends a process as it should end.
func (p *process) end() {
	p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		p.note(failed, p.site.now(), "it does not end")
		p.cmd.Process.Kill()
		<-p.ended
	}
	p.cmd.Wait()
}

// account returns what the judge is told of a process.
func (p *process) account() life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return life{place: p.Place, born: p.born, killed: p.killed, stops: p.stops, lost: p.lost, warned: p.warned, heard: p.heard, unheld: p.unheld}
}

package judge_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet/internal/stamps"
	"github.com/stretchr/testify/require"
)

// A site is all hosts. It logs what arrives, and when: by the kernel's stamp, where there is
// one. All times are since the site began, by this machine's time of day, which all processes
// share.
type site struct {
	listener net.Listener
	began    time.Time
	lanes    map[string]*lane
	handlers sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	visits []visit
	still  map[int]bool             // processes that are stopped: their answers wait
	next   map[string]time.Duration // hosts whose next page asks for a break of such a length
	held   map[net.Conn]bool
	trap   chan<- int    // gets the process that asks for the robots.txt of a new host
	sprung chan struct{} // closed when the site may go on
}

// A visit is a request that arrived.
type visit struct {
	process int // its life
	host    string
	robots  bool
	note    // what the crawler tells of it
	at      time.Duration
	end     time.Duration // when its answer was given, or its connection was lost; 0: not yet
	pause   time.Duration // the break that the answer asks for
	told    time.Duration // when the crawler's caller had the answer
}

// A note is what a crawler tells of a request: when its start was reserved, until when and
// with what slack, when it went to Base, and when its connection was ready and polite let it
// go.
type note struct{ taken, until, slack, begun, sent time.Duration }

func startSite(t testing.TB, seed uint64, lanes []lane) *site {
	l, err := stamps.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	s := &site{
		listener: l, began: time.Now(), random: rand.New(rand.NewPCG(seed, 1)), lanes: make(map[string]*lane),
		still: make(map[int]bool), next: make(map[string]time.Duration), held: make(map[net.Conn]bool),
	}
	for _, one := range lanes {
		s.lanes[one.Host] = &one
	}
	s.handlers.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

func (s *site) close() {
	s.listener.Close()
	s.mu.Lock()
	for conn := range s.held {
		conn.Close()
	}
	clear(s.still)
	s.mu.Unlock()
	s.handlers.Wait()
}

// since returns a time as the site tells it.
func (s *site) since(t time.Time) time.Duration {
	return time.Duration(t.UnixNano() - s.began.UnixNano())
}

func (s *site) now() time.Duration { return s.since(time.Now()) }

func (s *site) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.held[conn] = true
		s.mu.Unlock()
		s.handlers.Go(func() {
			s.serve(conn.(*stamps.Conn))
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.held, conn)
		})
	}
}

// An arrival is a request that may still have to come.
type arrival struct {
	come chan struct{} // closed when it is here, or will not come
	err  error
	at   time.Time
}

// await waits for the next request on a connection. Meanwhile it notices if the connection
// is lost.
func await(conn *stamps.Conn, r *bufio.Reader) *arrival {
	a := &arrival{come: make(chan struct{})}
	go func() {
		defer close(a.come)
		_, a.err = r.Peek(1)
		a.at = conn.Arrived()
	}()
	return a
}

func (s *site) serve(conn *stamps.Conn) {
	defer conn.Close()
	r := bufio.NewReader(conn)
	next := await(conn, r)
	for {
		<-next.come
		if next.err != nil {
			return
		}
		at := next.at
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		conn.SetReadDeadline(time.Time{})
		next = await(conn, r)
		s.answer(conn, req, s.since(at), next.come)
		conn.SetReadDeadline(time.Now().Add(s.linger(req.Host)))
		if req.Close {
			conn.Close()
		}
	}
}

func (s *site) linger(host string) time.Duration {
	if l := s.lanes[host]; l != nil && l.Linger > 0 {
		return l.Linger
	}
	return time.Minute
}

// answer answers a request. It stops when the connection is lost.
func (s *site) answer(conn net.Conn, r *http.Request, at time.Duration, lost <-chan struct{}) {
	v := visit{process: lifeOf(r), host: r.Host, robots: r.URL.Path == "/robots.txt", note: noteOf(r), at: at}
	number, head, body, takes := s.arrive(v)
	s.spring(v)
	if takes > 0 && !v.robots {
		conn.Write([]byte(head))
		head = ""
	}
	if !s.stream(conn, number, head+body, takes, lost) {
		s.ended(number)
	}
}

// arrive logs a visit. It returns its number, the answer, and how long that takes.
func (s *site) arrive(v visit) (number int, head, body string, takes time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	number = len(s.visits)
	status, header, body := http.StatusOK, fmt.Sprintf("Visit: %d\r\n", number), "a page\n"
	switch l := s.lanes[v.host]; {
	case v.robots:
		takes, body = 150*ms, rules(l)
		if l != nil {
			header += fmt.Sprintf("Cache-Control: max-age=%d\r\n", int(lifetime.Seconds()))
		}
	case l == nil:
	case s.next[v.host] > 0:
		v.pause = s.next[v.host]
		delete(s.next, v.host)
	case l.Breaks > 0 && s.random.IntN(l.Breaks) == 0:
		v.pause = time.Duration(1+s.random.IntN(3)) * time.Second
	case l.Body > 0:
		takes = time.Duration(s.random.Int64N(int64(l.Body)))
		body = strings.Repeat("a part\n", int(takes/part)+1)
	}
	if v.pause > 0 {
		status, header, body = http.StatusTooManyRequests, header+fmt.Sprintf("Retry-After: %d\r\n", int(v.pause.Seconds())), "later\n"
	}
	s.visits = append(s.visits, v)
	return number, fmt.Sprintf("HTTP/1.1 %d -\r\n%sContent-Length: %d\r\n\r\n", status, header, len(body)), body, takes
}

func rules(l *lane) string {
	if l == nil || l.Delay == 0 {
		return "user-agent: *\ndisallow: /private\n"
	}
	return fmt.Sprintf("user-agent: *\ndisallow: /private\ncrawl-delay: %v\n", l.Delay.Seconds())
}

const part = 50 * ms // of a body

// stream writes an answer in parts. It waits with the last while the process is stopped. It
// reports whether the answer was given.
func (s *site) stream(conn net.Conn, number int, answer string, takes time.Duration, lost <-chan struct{}) bool {
	end := s.now() + takes
	for {
		select {
		case <-lost:
			return false
		case <-time.After(min(part, max(end-s.now(), 0))):
		}
		if s.now() < end || s.isStill(number) {
			if len(answer) > 1 {
				conn.Write([]byte(answer[:1]))
				answer = answer[1:]
			}
			if s.now() >= end {
				end = s.now() + part
			}
			continue
		}
		s.ended(number) // before the crawler can know
		_, err := conn.Write([]byte(answer))
		return err == nil
	}
}

func (s *site) ended(number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := &s.visits[number]; v.end == 0 {
		v.end = s.now()
	}
}

func (s *site) isStill(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.still[s.visits[number].process]
}

func (s *site) setStill(process int, still bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.still[process] = still
}

// isUnder reports whether a visit of a process that needs a slot is under way.
func (s *site) isUnder(process int) bool {
	return slices.ContainsFunc(s.log(), func(v visit) bool {
		l := s.lanes[v.host]
		return v.process == process && l != nil && l.Slots > 0 && !v.robots && v.end == 0
	})
}

// breakNext lets the next page of a host ask for a break.
func (s *site) breakNext(host string, length time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next[host] = length
}

// setTrap waits for who asks for the robots.txt of a new host next. The site answers after
// release.
func (s *site) setTrap(ctx context.Context) (process int, release func(), ok bool) {
	caught, sprung := make(chan int, 1), make(chan struct{})
	s.mu.Lock()
	s.trap, s.sprung = caught, sprung
	s.mu.Unlock()
	release = sync.OnceFunc(func() { close(sprung) })
	select {
	case process = <-caught:
		return process, release, true
	case <-ctx.Done():
		s.mu.Lock()
		defer s.mu.Unlock()
		s.trap = nil
		release()
		return 0, release, false
	}
}

func (s *site) spring(v visit) {
	if !v.robots || s.lanes[v.host] != nil {
		return
	}
	s.mu.Lock()
	trap, sprung := s.trap, s.sprung
	s.trap = nil
	s.mu.Unlock()
	if trap != nil {
		trap <- v.process
		<-sprung
	}
}

// tell notes that a crawler's caller had the answer to a visit.
func (s *site) tell(number int, at time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if number >= 0 && number < len(s.visits) {
		s.visits[number].told = at
	}
}

// last returns the newest break of a host that a crawler's caller was told of.
func (s *site) last(host string, after time.Duration) (told time.Duration) {
	for _, v := range s.log() {
		if v.host == host && v.at > after && v.pause > 0 && v.told > 0 {
			told = v.told
		}
	}
	return told
}

// log returns what has arrived.
func (s *site) log() []visit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]visit(nil), s.visits...)
}

const noteHeader = "Note"

func noteOf(r *http.Request) (n note) {
	fmt.Sscan(r.Header.Get(noteHeader), &n.taken, &n.until, &n.slack, &n.begun, &n.sent)
	return n
}

func (n note) String() string {
	return fmt.Sprint(int64(n.taken), int64(n.until), int64(n.slack), int64(n.begun), int64(n.sent))
}

// lifeOf returns the life of the crawler, which its User-Agent tells.
func lifeOf(r *http.Request) int {
	_, version, _ := strings.Cut(r.UserAgent(), "/")
	number, _ := strconv.Atoi(version)
	return number
}

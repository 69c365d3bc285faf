package restart_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A kind is what a host does when it is asked for robots.txt.
type kind int

const (
	delaying    kind = iota // asks for a crawl-delay
	free                    // asks for none
	redirecting             // asks for a crawl-delay, in a file on another host
	slow                    // asks for a crawl-delay, after a while
	missing                 // has none
	failing                 // fails
	busy                    // asks for a break, now and then
	kinds
)

const (
	redirectHosts = 16 // that have the files of others
	busyPages     = 25 // of one answer that asks for a break
)

func kindOf(host int) kind { return kind(host % int(kinds)) }

func nameOf(host int) string { return fmt.Sprintf("h%d.example", host) }

// delayOf returns the crawl-delay that a host asks for.
func delayOf(host int) time.Duration {
	switch kindOf(host) {
	case delaying, redirecting, slow:
		return time.Duration(200+host*37%800) * time.Millisecond
	default:
		return 0
	}
}

// A web is any number of hosts. It logs the requests that arrive.
type web struct {
	began time.Time

	mu     sync.Mutex
	random *rand.Rand
	quiet  bool // nobody asks for a break
	visits []visit
}

func newWeb(seed uint64) *web {
	return &web{began: time.Now(), random: rand.New(rand.NewPCG(seed, 0))}
}

func (w *web) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	host, hop := r.Host, false
	if path, ok := strings.CutPrefix(r.URL.Path, "/of/"); ok {
		host, hop = path, true
	}
	v := visit{host: host, hop: hop, robots: hop || r.URL.Path == "/robots.txt", at: w.since(time.Now()), life: lifeOf(r)}
	v.begun, v.sent = w.stamped(r, begunHeader), w.stamped(r, sentHeader)
	number := w.arrive(v)
	to.Header().Set("Visit", strconv.Itoa(number))
	if v.robots {
		w.answerRobots(to, number, v)
	} else {
		w.answerPage(to, number)
	}
}

func (w *web) since(t time.Time) time.Duration { return t.Sub(w.began) }

// stamped returns the time that the crawler has stamped on a request, or zero.
func (w *web) stamped(r *http.Request, header string) time.Duration {
	nanoseconds, err := strconv.ParseInt(r.Header.Get(header), 10, 64)
	if err != nil {
		return 0
	}
	return w.since(time.Unix(0, nanoseconds))
}

// lifeOf returns the life of the crawler. It is in the User-Agent.
func lifeOf(r *http.Request) int {
	_, version, _ := strings.Cut(r.UserAgent(), "/")
	number, _ := strconv.Atoi(version)
	return number
}

func (w *web) arrive(v visit) (number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visits = append(w.visits, v)
	return len(w.visits) - 1
}

// isBusy returns true for one of n calls, at random, unless the web is quiet.
func (w *web) isBusy(n int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.quiet && w.random.IntN(n) == 0
}

func (w *web) calm(quiet bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.quiet = quiet
}

func (w *web) answerPage(to http.ResponseWriter, number int) {
	if w.isBusy(busyPages) {
		w.askForBreak(to, number)
		return
	}
	w.answer(to, number, http.StatusOK, "a page\n")
}

func (w *web) answerRobots(to http.ResponseWriter, number int, v visit) {
	host, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(v.host, "h"), ".example"))
	rules := fmt.Sprintf("user-agent: *\ndisallow: /private\ncrawl-delay: %v\n", delayOf(host).Seconds())
	switch kind := kindOf(host); {
	case kind == redirecting && !v.hop:
		to.Header().Set("Location", fmt.Sprintf("http://rules%d.example/of/%s", host%redirectHosts, v.host))
		to.WriteHeader(http.StatusFound)
	case kind == missing:
		w.answer(to, number, http.StatusNotFound, "none\n")
	case kind == failing:
		w.answer(to, number, http.StatusInternalServerError, "out of order\n")
	case kind == busy && w.isBusy(2):
		w.askForBreak(to, number)
	case kind == free:
		w.answer(to, number, http.StatusOK, "user-agent: *\ndisallow: /private\n")
	default:
		if kind == slow {
			time.Sleep(time.Duration(host%10) * 50 * time.Millisecond)
		}
		w.answer(to, number, http.StatusOK, rules)
	}
}

// askForBreak answers 429. The break is of one to three seconds.
func (w *web) askForBreak(to http.ResponseWriter, number int) {
	w.mu.Lock()
	seconds := 1 + w.random.IntN(3)
	w.visits[number].pause = time.Duration(seconds) * time.Second
	w.mu.Unlock()
	to.Header().Set("Retry-After", strconv.Itoa(seconds))
	w.answer(to, number, http.StatusTooManyRequests, "later\n")
}

func (w *web) answer(to http.ResponseWriter, number, status int, body string) {
	w.mu.Lock()
	w.visits[number].answered = w.since(time.Now())
	w.visits[number].failed = status == http.StatusTooManyRequests || status >= 500
	w.mu.Unlock()
	to.WriteHeader(status)
	fmt.Fprint(to, body)
}

// tell notes that the crawler's caller had the answer to a visit.
func (w *web) tell(number int, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visits[number].told = w.since(at)
}

// tellRefused notes that polite refused a request of the crawler's caller for a host.
func (w *web) tellRefused(host string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := len(w.visits) - 1; i >= 0; i-- {
		if v := &w.visits[i]; v.host == host && v.robots {
			if v.told == 0 {
				v.told = w.since(at)
			}
			return
		}
	}
}

// log returns the requests that have arrived.
func (w *web) log() []visit {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]visit(nil), w.visits...)
}

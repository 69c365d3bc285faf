package simulation_test

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
)

// A kind is what a site does when it is asked for robots.txt.
type kind uint8

const (
	plain       kind = iota // has one, for a day
	hourly                  // has one, for an hour
	changing                // has another one every 30 hours
	redirecting             // has it on its other host
	missing                 // has none
	flaky                   // fails for a third of the time
	down                    // fails
	kinds
)

func (k kind) String() string {
	return [...]string{"plain", "max-age of an hour", "changing", "redirecting", "without", "flaky", "down"}[k]
}

// share is how many of a hundred sites are of a kind.
var share = [kinds]uint64{plain: 55, hourly: 6, changing: 6, redirecting: 6, missing: 20, flaky: 4, down: 3}

// A text is a robots.txt.
type text struct {
	body    string
	etag    string
	rules   robots.Rules
	gap     time.Duration // the gap that polite keeps
	size    int           // that it takes when it is parsed
	targets []string
}

func newText(number int, body []byte) *text {
	file := robots.Parse(body)
	x := &text{body: string(body), etag: strconv.Quote(strconv.Itoa(number)), rules: file.Rules(token), size: file.Size()}
	delay, _ := x.rules.CrawlDelay()
	x.gap = min(delay, 30*time.Second)
	x.targets = []string{"/", "/about.html", "/search?q=robots"}
	for line := range strings.Lines(x.body) {
		if _, pattern, ok := strings.Cut(line, "llow:"); ok && len(x.targets) < 10 {
			literal, _, _ := strings.Cut(strings.TrimSpace(pattern), "*")
			if literal = strings.TrimSuffix(literal, "$"); strings.HasPrefix(literal, "/") && !strings.ContainsAny(literal, "#% ") && literal != "/robots.txt" {
				x.targets = append(x.targets, literal)
			}
		}
	}
	return x
}

// A world is a Base that plays all sites. It notes each mistake.
type world struct {
	texts []*text
	sites []site

	mu         sync.Mutex
	random     *rand.Rand // of the breaks
	asked      [kinds]int // for robots.txt
	pages      int
	violations map[string]int
}

// A site is what the world remembers of a site. It has no pointers, so that it adds
// nothing to the work of the garbage collector.
type site struct {
	kind     kind
	asking   bool // a request for robots.txt is under way
	asked    uint16
	text     number // served last
	before   number // the text before that
	served   int64  // when it served that text; 0 if it has not yet
	visited  int64  // when the last allowed request for a page came
	lastPage int64
	lastGap  time.Duration // that it asked for then
	held     int64         // when it asked for a break
	hold     int64         // when the break ends
}

// A number is the number of a text: the first is 1. Zero is none.
type number int32

func (w *world) text(n number) *text {
	if n == 0 {
		return nil
	}
	return w.texts[n-1]
}

func newWorld(origins int, seed uint64, bodies [][]byte) *world {
	w := &world{sites: make([]site, origins), random: rand.New(rand.NewPCG(seed, 1)), violations: make(map[string]int)}
	for i, body := range bodies {
		w.texts = append(w.texts, newText(i, body))
	}
	for i := range w.sites {
		w.sites[i].kind = kindOf(hash(i, 1) % 100)
	}
	return w
}

func kindOf(n uint64) (k kind) {
	for n >= share[k] {
		n -= share[k]
		k++
	}
	return k
}

// hash returns a number that belongs to a site, and to a question about it.
func hash(site int, question uint64) uint64 { return rand.NewPCG(uint64(site), question).Uint64() }

func host(number int) string { return "site-" + strconv.Itoa(number) + ".example" }

// textOf returns the number of the robots.txt that a site has now.
func (w *world) textOf(site int) number {
	version := uint64(2)
	if w.sites[site].kind == changing {
		version += uint64(time.Now().Unix() / (30 * 3600))
	}
	return 1 + number(hash(site, version)%uint64(len(w.texts)))
}

func (w *world) RoundTrip(req *http.Request) (*http.Response, error) {
	name := strings.TrimPrefix(strings.TrimPrefix(req.URL.Host, "www."), "site-")
	number, err := strconv.Atoi(strings.TrimSuffix(name, ".example"))
	if err != nil {
		return nil, err
	}
	if req.URL.Path != "/robots.txt" {
		return w.page(number, req), nil
	}
	if s := &w.sites[number]; s.kind != redirecting || strings.HasPrefix(req.URL.Host, "www.") {
		return w.robots(number, req), nil
	}
	return origintest.Response(req, http.StatusFound, "", "Location", "https://www."+host(number)+"/robots.txt"), nil
}

// robots answers for robots.txt, after a while.
func (w *world) robots(number int, req *http.Request) *http.Response {
	s := &w.sites[number]
	w.ask(s, req)
	time.Sleep(50*time.Millisecond + time.Duration(hash(number, 3)%800)*time.Millisecond) // on the bubble's clock
	w.mu.Lock()
	defer w.mu.Unlock()
	s.asking = false
	if failing(s.kind, number) {
		return origintest.Response(req, http.StatusServiceUnavailable, "")
	}
	s.before, s.served = s.text, time.Now().UnixNano()
	if s.kind == missing {
		return origintest.Response(req, http.StatusNotFound, "")
	}
	s.text = w.textOf(number)
	text := w.text(s.text)
	if req.Header.Get("If-None-Match") == text.etag {
		return origintest.Response(req, http.StatusNotModified, "")
	}
	header := []string{"ETag", text.etag}
	if s.kind == hourly {
		header = append(header, "Cache-Control", "max-age=3600")
	}
	return origintest.Response(req, http.StatusOK, text.body, header...)
}

func (w *world) ask(s *site, req *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked[s.kind]++
	s.asked++
	w.check(!s.asking, "asked twice at the same time")
	w.check(req.UserAgent() == userAgent && len(req.Cookies()) == 0, "asked in another's name")
	s.asking = true
}

// failing reports whether a site fails now: a flaky one for two of six hours.
func failing(k kind, number int) bool {
	return k == down || k == flaky && (uint64(time.Now().Unix()/7200)+hash(number, 4))%3 == 0
}

// page answers all other requests, and checks whether they should have come.
func (w *world) page(number int, req *http.Request) *http.Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pages++
	s, now := &w.sites[number], time.Now().UnixNano()
	w.check(w.allows(s, req.URL.RequestURI(), true), "a page that is disallowed")
	w.check(s.kind == flaky || now-s.served <= int64(24*time.Hour), "by rules that are older than a day")
	// polite does not remember turns without a gap, even if the site asks for a gap
	// afterwards.
	w.check(s.lastGap == 0 || now-s.lastPage >= int64(w.gap(s, now)), "sooner than the crawl-delay")
	w.check(now >= s.hold || now == s.held, "sooner than Retry-After") // the crawler may not know yet what the site says at this moment
	s.lastPage, s.lastGap = now, w.gap(s, now)
	if w.random.IntN(5000) > 0 {
		return origintest.Response(req, http.StatusOK, "")
	}
	wait := 10 + w.random.IntN(300)
	s.held, s.hold = now, now+int64(time.Duration(wait)*time.Second)
	return origintest.Response(req, http.StatusTooManyRequests, "", "Retry-After", strconv.Itoa(wait))
}

// allows reports whether the text that a site has served allows target. If want is false,
// it reports whether the text disallows target. A text of this moment may count or not
// yet.
func (w *world) allows(s *site, target string, want bool) bool {
	if s.served == 0 {
		return false
	}
	return w.text(s.text).allows(target) == want || s.served == time.Now().UnixNano() && w.text(s.before).allows(target) == want
}

func (x *text) allows(target string) bool { return x == nil || x.rules.Allowed(target) }

// gap returns the least time between two pages that a site has asked for.
func (w *world) gap(s *site, now int64) time.Duration {
	if s.text == 0 || s.served == now && s.before == 0 {
		return 0
	}
	if s.served == now {
		return min(w.text(s.text).gap, w.text(s.before).gap)
	}
	return w.text(s.text).gap
}

// check notes that something should not have been.
func (w *world) check(ok bool, otherwise string) {
	if !ok {
		w.violations[otherwise]++
	}
}

package soak

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

// An unrulyWeb is a web of sites that do all that docs/behaviour.md knows. Those whose
// name begins with "closed" do only what leaves /private disallowed.
type unrulyWeb struct {
	*origintest.Server
	hosts        []string
	any, closing [][]http.HandlerFunc // answers for robots.txt
	pages        []http.HandlerFunc
}

func newUnrulyWeb(t *testing.T, seed uint64) *unrulyWeb {
	w := &unrulyWeb{Server: origintest.New(t), pages: answersOfPages()}
	outcomes := outcomes(t)
	for _, b := range behaviours() {
		if b.url != "" || b.later != 0 {
			continue
		}
		w.any = append(w.any, b.site)
		if cell := outcomes[b.does]; cell == "obeyed" || strings.HasSuffix(cell, "deny all") {
			w.closing = append(w.closing, b.site)
		}
	}
	require.Greater(t, len(w.closing), 30)
	require.Greater(t, len(w.any), len(w.closing)+20)
	setPaths(w.Server, "example.com", "other.example", "127.0.0.1", "192.168.0.1", "169.254.169.254", "[::1]", "localhost")
	w.Lose("lost.example")
	random := rand.New(rand.NewPCG(seed, 0))
	for i := range 200 {
		for _, kind := range []string{"closed", "open"} {
			host := fmt.Sprintf("%s-%d.example", kind, i)
			w.hosts = append(w.hosts, host)
			setPaths(w.Server, host)
			w.change(random, host)
		}
	}
	return w
}

// outcomes returns what docs/behaviour.md says that RFC 9309 makes of each
// behaviour.
func outcomes(t *testing.T) map[string]string {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	outcomes := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, " | "); len(cells) > 2 {
			for does := range strings.SplitSeq(strings.TrimPrefix(cells[0], "| "), "; ") {
				outcomes[does] = cells[1]
			}
		}
	}
	return outcomes
}

// weather changes one site after the other, until ctx ends.
func (w *unrulyWeb) weather(ctx context.Context, random *rand.Rand) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.change(random, w.hosts[random.IntN(len(w.hosts))])
		case <-ctx.Done():
			return
		}
	}
}

// change makes host do something else.
func (w *unrulyWeb) change(random *rand.Rand, host string) {
	answers := w.any
	if strings.HasPrefix(host, "closed") {
		answers = w.closing
	}
	w.Find(host)
	w.Trust(host)
	w.Robots(host, origintest.Text(conduct.Rules))
	w.Page(host, "/page", w.pages[random.IntN(len(w.pages))])
	if random.IntN(2) == 0 { // most sites are well most of the time
		return
	}
	w.Robots(host, answers[random.IntN(len(answers))]...)
	switch random.IntN(10) {
	case 0:
		w.Lose(host)
	case 1:
		w.Distrust(host)
	}
}

// anyPage returns the URL of something that there may be, on one of so many sites,
// on some more often than on others.
func (w *unrulyWeb) anyPage(random *rand.Rand, sites int) string {
	host := w.hosts[int(float64(sites)*math.Pow(random.Float64(), 3))]
	scheme := []string{"http", "http", "https"}[random.IntN(3)]
	path := []string{"/page", "/page", "/page?id=1", "/private", "/private/diary"}[random.IntN(5)]
	return scheme + "://" + host + path
}

// answersOfPages are what pages other than robots.txt do.
func answersOfPages() []http.HandlerFunc {
	page := strings.Repeat("a line of the page\n", 1000)
	return []http.HandlerFunc{
		origintest.Text("a page\n"),
		origintest.Text(page),
		origintest.Text(page),
		origintest.Text(page),
		origintest.Gzip(page),
		origintest.Delay(20*time.Millisecond, origintest.Text(page)),
		origintest.Drip("a page\n", 20*time.Millisecond),
		origintest.Redirect("/private"),
		origintest.Redirect("/page?again"),
		origintest.Redirect("http://closed-1.example/private"),
		origintest.Redirect("https://closed-2.example/private/diary"),
		origintest.Status(204),
		origintest.Status(404),
		origintest.Status(429, "Retry-After", "1"),
		origintest.Status(503, "Retry-After", "1"),
		origintest.Hang,
		origintest.HangAfter("a p"),
		origintest.Reset,
		origintest.Cut("a p"),
		origintest.CutChunked("a p"),
		origintest.Endless("", "more\n"),
		origintest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
	}
}

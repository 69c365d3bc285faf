package soak

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the table of docs/behaviour.md")

// A behaviour is something that a site may do when it is asked for robots.txt.
type behaviour struct {
	does  string
	url   string             // of the page that is wanted; http://example.com/private if empty
	site  []http.HandlerFunc // how example.com answers for robots.txt: once by each, and then by the last
	later time.Duration      // when it is asked for a second time, if that is to be told
}

func behaviours() []behaviour {
	answers := func(answers ...http.HandlerFunc) []http.HandlerFunc { return answers }
	status := origintest.Status
	rulesAs := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
			io.WriteString(w, conduct.Rules)
		}
	}
	rulesWith := func(header ...string) http.HandlerFunc { return rulesAs(200, header...) }
	comments := origintest.Compressed(strings.Repeat("#\n", robots.MaxSize))
	list := []behaviour{
		{does: "rules", site: answers(origintest.Text(conduct.Rules))},
		{does: "an HTML page", site: answers(origintest.Text("<!DOCTYPE html>\n<p>disallow: /</p>\n"))},
		{does: "an image", site: answers(origintest.Text("\x89PNG\r\n\x1a\n\x00\x00"))},
		{does: "an empty file", site: answers(origintest.Text(""))},
		{does: "rules in the first 500 KiB of more", site: answers(origintest.Text(conduct.Rules + strings.Repeat("#\n", robots.MaxSize)))},
		{does: "rules, and then no end", site: answers(origintest.Endless(conduct.Rules, "# ...\n"))},
		{does: "rules after 500 KiB", site: answers(origintest.Text(strings.Repeat("#\n", robots.MaxSize) + conduct.Rules))},
		{does: "rules in gzip", site: answers(origintest.Gzip(conduct.Rules))},
		{does: "rules in two members of gzip", site: answers(origintest.Encoded("gzip", origintest.Compressed("user-agent: *\n", "disallow: /private\n")))},
		{does: "50 MB of rules in a little gzip", site: answers(origintest.Encoded("gzip", origintest.Compressed(conduct.Rules)+strings.Repeat(comments, 50)))},
		{does: "a header of 1 MB, and rules", site: answers(rulesWith("X", strings.Repeat("x", 1<<20)))},
		{does: "rules, byte by byte, in time", site: answers(origintest.Drip(conduct.Rules, 100*time.Millisecond))},
		{does: "rules after an early hint (103)", site: answers(origintest.Raw("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n" + conduct.Rules))},
		{does: "rules, to the end of the connection", site: answers(origintest.Raw("HTTP/1.0 200 OK\r\n\r\n" + conduct.Rules))},
		{does: "rules after a reset", site: answers(origintest.Reset, origintest.Text(conduct.Rules))},
		{does: "rules after a cut body", site: answers(origintest.Cut("user-agent: *\n"), origintest.Text(conduct.Rules))},
	}
	for _, code := range []int{201, 202, 203, 204, 205, 206, 207, 226, 400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 416, 417, 418, 421, 423, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 599, 600, 999} {
		list = append(list, behaviour{does: strings.TrimSpace(fmt.Sprint(code, " ", http.StatusText(code))), site: answers(status(code))})
	}
	list = append(list,
		behaviour{does: "206 for the first half of rules", site: answers(rulesAs(206, "Content-Range", "bytes 0-32/66"))},
		behaviour{does: "206 for all of the rules", site: answers(rulesAs(206, "Content-Range", "bytes 0-32/33"))},
		behaviour{does: "204, called gzip", site: answers(status(204, "Content-Encoding", "gzip"))},
		behaviour{does: "an empty file, called gzip", site: answers(origintest.Encoded("gzip", ""))},
		behaviour{does: "404 whose body has no end", site: answers(origintest.Raw("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\n"))},
		behaviour{does: "404 whose body never comes", site: answers(hangIn404)},
		behaviour{does: "101, to another protocol", site: answers(origintest.Raw("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"))},
		behaviour{does: "304 although nothing is known", site: answers(status(304))},
	)
	for _, code := range []int{300, 301, 302, 303, 305, 307, 308} {
		list = append(list, behaviour{does: fmt.Sprint(code, " to rules"), site: answers(status(code, "Location", "/0"))})
	}
	for _, hops := range []int{2, 3, 4, 5, 6, 7} {
		list = append(list, behaviour{does: fmt.Sprint(hops, " redirects to rules"), site: answers(origintest.Redirect(fmt.Sprint("/", hops-1)))})
	}
	for _, to := range []struct{ does, location string }{
		{"itself", "/robots.txt"}, {"where it came from", "/back"}, {"the front page", "/"}, {"a page that is not there", "/404"}, {"an error", "/500"},
		{"rules of another host", "http://other.example/rules"}, {"rules by TLS", "https://example.com/rules"}, {"a host that does not resolve", "http://lost.example/"},
		{"127.0.0.1", "http://127.0.0.1/rules"}, {"192.168.0.1", "http://192.168.0.1/rules"}, {"169.254.169.254", "http://169.254.169.254/rules"}, {"[::1]", "http://[::1]/rules"}, {"localhost", "http://localhost/rules"},
		{"[64:ff9b::7f00:1], which is 127.0.0.1 by NAT64", "http://[64:ff9b::7f00:1]/rules"}, {"[2002:7f00:1::1], which is 127.0.0.1 by 6to4", "http://[2002:7f00:1::1]/rules"},
		{"[::ffff:0:7f00:1], which is 127.0.0.1 translated", "http://[::ffff:0:7f00:1]/rules"}, {"[fec0::1]", "http://[fec0::1]/rules"}, {"0.1.2.3", "http://0.1.2.3/rules"},
		{"127.1", "http://127.1/rules"}, {"0x7f000001", "http://0x7f000001/rules"}, {"ip6-localhost", "http://ip6-localhost/rules"}, {"wiki.internal", "http://wiki.internal/rules"},
		{"nowhere", ""}, {"what is no URL", "http://[::1"}, {"another protocol", "ftp://example.com/rules"},
	} {
		list = append(list, behaviour{does: "a redirect to " + to.does, site: answers(origintest.Redirect(to.location))})
	}
	list = append(list,
		behaviour{does: "a redirect from localhost to 127.0.0.1", url: "http://localhost/private", site: answers(origintest.Redirect("http://127.0.0.1/rules"))},
		behaviour{does: "a redirect from TLS to rules without", url: "https://example.com/private", site: answers(origintest.Redirect("http://example.com/rules"))},
		behaviour{does: "a redirect from 134744072, which is 8.8.8.8, to localhost", url: "http://134744072/private", site: answers(origintest.Redirect("http://localhost/rules"))},
		behaviour{does: "nothing", site: answers(origintest.Hang)},
		behaviour{does: "half a header, and then nothing", site: answers(hangInHeader)},
		behaviour{does: "half a body, and then nothing", site: answers(origintest.HangAfter(conduct.Rules))},
		behaviour{does: "rules, byte by byte, for too long", site: answers(origintest.Drip(conduct.Rules, time.Second))},
		behaviour{does: "a reset", site: answers(origintest.Reset)},
		behaviour{does: "less than its Content-Length", site: answers(origintest.Cut(conduct.Rules))},
		behaviour{does: "more than its Content-Length", site: answers(origintest.Raw("HTTP/1.1 200 OK\r\nContent-Length: 33\r\n\r\n" + conduct.Rules + "disallow: /\n"))},
		behaviour{does: "no last chunk", site: answers(origintest.CutChunked(conduct.Rules))},
		behaviour{does: "chunks without their size", site: answers(origintest.Raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + conduct.Rules))},
		behaviour{does: "rules in gzip, cut short", site: answers(origintest.Encoded("gzip", origintest.Compressed(conduct.Rules)[:30]))},
		behaviour{does: "rules in gzip, and then something else", site: answers(origintest.Encoded("gzip", origintest.Compressed(conduct.Rules)+"<!-- made in 3 ms -->"))},
		behaviour{does: "rules, called gzip", site: answers(origintest.Encoded("gzip", conduct.Rules))},
		behaviour{does: "rules in an encoding that is not known", site: answers(origintest.Encoded("UTF-8", conduct.Rules))},
		behaviour{does: "gzip that is none", site: answers(origintest.Encoded("gzip", "\x00\x01\x02"))},
		behaviour{does: "403, a challenge for browsers", site: answers(status(403, "Cf-Mitigated", "challenge"))},
		behaviour{does: "202, a challenge for browsers", site: answers(status(202, "X-Amzn-Waf-Action", "challenge"))},
		behaviour{does: "200, the page of a wall", site: answers(wall(200))},
		behaviour{does: "202, the page of a wall", site: answers(wall(202))},
		behaviour{does: "401, the page of a wall", site: answers(wall(401))},
		behaviour{does: "404, the page of a wall", site: answers(wall(404))},
		behaviour{does: "403, a page of the site", site: answers(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(403)
			io.WriteString(w, "<html><p>No.</p>")
		})},
		behaviour{does: "another protocol than HTTP", site: answers(origintest.Raw("220 example.com ESMTP\r\n"))},
		behaviour{does: "a certificate that no one trusts", url: "https://bad.example/private"},
		behaviour{does: "no such host", url: "http://lost.example/private"},
	)
	for _, after := range []struct{ does, value string }{
		{"2 hours", "7200"}, {"5 seconds", "5"}, {"a date", "Sat, 01 Jan 2000 03:00:00 GMT"}, {"a past date", "Fri, 31 Dec 1999 23:59:59 GMT"},
		{"−5", "-5"}, {"3000 years", "94608000000"}, {"more than a number", "99999999999999999999999"}, {"soon", "soon"},
	} {
		list = append(list, behaviour{does: "503, Retry-After: " + after.does, site: answers(status(503, "Retry-After", after.value))})
	}
	list = append(list,
		behaviour{does: "429, Retry-After: 2 hours", site: answers(status(429, "Retry-After", "7200"))},
		behaviour{does: "404, Retry-After: 2 hours", site: answers(status(404, "Retry-After", "7200"))},
	)
	for _, cache := range []string{"max-age=0", "max-age=3600", "max-age=864000", "max-age=-1", "max-age=99999999999999999999", "no-store", "private"} {
		list = append(list, behaviour{does: "rules, Cache-Control: " + cache, site: answers(rulesWith("Cache-Control", cache))})
	}
	list = append(list,
		behaviour{does: "a copy that a cache has kept for 23 hours of a day", site: answers(rulesWith("Cache-Control", "max-age=86400", "Age", "82800"))},
		behaviour{does: "rules, Expires: in an hour", site: answers(rulesWith("Expires", "Sat, 01 Jan 2000 01:00:00 GMT", "Date", "Sat, 01 Jan 2000 00:00:00 GMT"))},
		behaviour{does: "rules, Expires: 0", site: answers(rulesWith("Expires", "0"))},
	)
	const day = 25 * time.Hour
	etag, date := rulesWith("ETag", `"a"`), rulesWith("Last-Modified", "Fri, 31 Dec 1999 23:59:59 GMT")
	return append(list,
		behaviour{does: "ETag, and a day later 304", site: answers(etag, status(304)), later: day},
		behaviour{does: "Last-Modified, and a day later 304", site: answers(date, status(304)), later: day},
		behaviour{does: "ETag, and a day later 304 for another", site: answers(etag, status(304, "ETag", `"b"`), origintest.Text("")), later: day},
		behaviour{does: "ETag, and a day later 412, without a condition rules", site: answers(etag, status(412), origintest.Text(conduct.Rules)), later: day},
		behaviour{does: "ETag, and a day later 412, without a condition 404", site: answers(etag, status(412), status(404)), later: day},
		behaviour{does: "ETag, and a day later 412 all the time", site: answers(etag, status(412)), later: day},
		behaviour{does: "ETag, and a day later 400, without a condition rules", site: answers(etag, status(400), etag), later: day},
		behaviour{does: "ETag, and a day later no rules", site: answers(etag, origintest.Text("")), later: day},
		behaviour{does: "rules, and a day later 304", site: answers(origintest.Text(conduct.Rules), status(304)), later: day},
		behaviour{does: "rules, and a day later 404", site: answers(origintest.Text(conduct.Rules), status(404)), later: day},
		behaviour{does: "rules, and a day later 407", site: answers(origintest.Text(conduct.Rules), status(407)), later: day},
		behaviour{does: "rules, and a day later 408", site: answers(origintest.Text(conduct.Rules), status(408)), later: day},
		behaviour{does: "rules, and a day later a part of them (206)", site: answers(origintest.Text(conduct.Rules), status(206)), later: day},
		behaviour{does: "rules, and a day later 500", site: answers(origintest.Text(conduct.Rules), status(500)), later: day},
		behaviour{does: "rules, and a day later a cut body", site: answers(origintest.Text(conduct.Rules), origintest.Cut("")), later: day},
		behaviour{does: "404, and a day later 500", site: answers(status(404), status(500)), later: day},
		behaviour{does: "500, and 31 days later 500", site: answers(status(500)), later: 31 * 24 * time.Hour},
		behaviour{does: "rules, and 31 days later 500", site: answers(origintest.Text(conduct.Rules), status(500)), later: 31 * 24 * time.Hour},
	)
}

// wall answers as Anubis does, with a status that its owner may choose.
func wall(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, `<!doctype html><html><head><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script></head></html>`)
	}
}

func hangIn404(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusNotFound)
	origintest.HangAfter("<p>Not")(w, r)
}

func hangInHeader(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: resets the stream
	}
	defer conn.Close()
	io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Le")
	io.Copy(io.Discard, conn) // until the client goes
}

// page has the table of what a site may do, between two marks.
const (
	page  = "../../../docs/behaviour.md"
	begin = "<!-- behaviours -->\n"
	end   = "<!-- end of behaviours -->\n"
)

// What a site may do, and what is made of it: the table of docs/behaviour.md is the output of
// this test. Behaviours with one outcome share a row.
func TestBehaviour(t *testing.T) {
	presets := []polite.Policy{{}, polite.Google(), polite.Strict()}
	var rows []string // what is made of behaviours, in the order of the first of each
	does := make(map[string][]string)
	all := behaviours()
	for _, b := range all {
		var cells []string
		var next, asked string
		for i, policy := range presets {
			synctest.Test(t, func(t *testing.T) {
				decision, requests := try(t, b, policy)
				cells = append(cells, outcome(decision))
				if wait := nominal(time.Until(decision.Next)); i == 0 {
					next, asked = wait, fmt.Sprint(requests)
				} else if !strings.Contains(next, wait) {
					next += fmt.Sprintf(" (%s: %s)", []string{"", "Google", "strict"}[i], wait)
				}
			})
		}
		row := fmt.Sprintf("%s | %s | %s", strings.Join(cells, " | "), next, asked)
		if does[row] == nil {
			rows = append(rows, row)
		}
		does[row] = append(does[row], b.does)
	}
	table := "| the site answers with | RFC 9309 | Google | strict | next | asked |\n|---|---|---|---|---|---|\n"
	for _, row := range rows {
		table += fmt.Sprintf("| %s | %s |\n", strings.Join(does[row], "; "), row)
	}
	t.Log("\n" + table)
	assert.GreaterOrEqual(t, len(all), 60)
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), begin)
	require.True(t, found)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found)
	want := before + begin + table + end + after
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o666))
		return
	}
	assert.Equal(t, want, string(text), "run the test with -update, and read what has changed")
}

// try tells what is made of b under policy, and how many requests it took.
func try(t *testing.T, b behaviour, policy polite.Policy) (polite.Decision, int) {
	web := origintest.NewInMemory(t)
	web.Lose("lost.example")
	web.Distrust("bad.example")
	page := "http://example.com/private"
	if b.url != "" {
		page = b.url
	}
	u, err := url.Parse(page)
	require.NoError(t, err)
	web.Robots(u.Host, b.site...)
	setPaths(web, "example.com", "other.example", "127.0.0.1", "192.168.0.1", "169.254.169.254", "[::1]", "localhost",
		"[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::ffff:0:7f00:1]", "[fec0::1]", "0.1.2.3", "127.1", "0x7f000001", "ip6-localhost", "wiki.internal", "134744072")

	transport := &polite.Transport{UserAgent: conduct.UserAgent, Base: web.Transport(t), Policy: policy}
	decision, err := transport.Check(t.Context(), u)
	require.NoError(t, err)
	if b.later > 0 {
		time.Sleep(b.later) // on the bubble's clock
		_, err = transport.Check(t.Context(), u)
		require.NoError(t, err)
		synctest.Wait()
		time.Sleep(5 * time.Second) // for what is tried again
		decision, err = transport.Check(t.Context(), u)
		require.NoError(t, err)
	}
	return decision, len(web.Log())
}

// setPaths makes hosts answer for what behaviours redirect to.
func setPaths(web *origintest.Server, hosts ...string) {
	for _, host := range hosts {
		for i := range 7 {
			answer := origintest.Text(conduct.Rules)
			if i > 0 {
				answer = origintest.Redirect(fmt.Sprint("/", i-1))
			}
			web.Page(host, fmt.Sprint("/", i), answer)
		}
		web.Page(host, "/rules", origintest.Text(conduct.Rules))
		web.Page(host, "/back", origintest.Redirect("/robots.txt"))
		web.Page(host, "/404", origintest.Status(404))
		web.Page(host, "/500", origintest.Status(500))
	}
}

func outcome(d polite.Decision) string {
	words := map[polite.Reason]string{polite.ReasonRule: "obeyed", polite.ReasonNoRule: "no rules"}[d.Reason]
	if words == "" {
		_, words, _ = strings.Cut(d.Basis, ": ")
		words = string(d.Reason) + ": " + words
	}
	if d.Stale {
		words += ", stale"
	}
	return words
}

// nominal returns what a jittered time is around.
func nominal(d time.Duration) string {
	for _, n := range []struct {
		d    time.Duration
		name string
	}{
		{time.Minute, "1 min"}, {2 * time.Minute, "2 min"}, {5 * time.Minute, "5 min"}, {time.Hour, "1 h"}, {2 * time.Hour, "2 h"}, {3 * time.Hour, "3 h"},
		{24 * time.Hour, "1 day"}, {10 * 24 * time.Hour, "10 days"}, {30 * 24 * time.Hour, "30 days"},
	} {
		if d <= n.d {
			return n.name
		}
	}
	return d.String()
}

package programs

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// isolates skips the test where the system lets no program have a network of its own.
func isolates(t *testing.T, w *web) {
	got := politely(t, w, []string{"--isolate"}, "true")
	if got.status == 1 {
		t.Skip(got.err)
	}
}

// ignoring are programs that know nothing of proxies. They are run with the address of a server
// after them.
func ignoring() []program {
	return []program{
		{name: "curl", line: []string{"curl", "-sS", "--noproxy", "*"}},
		{name: "Node.js before 22", tries: before("22", ""), line: []string{"node", "fetch.cjs"}},
		{name: "PHP streams", tries: "php --version", line: []string{"php", "stream.php"}},
		{name: "Python", tries: python + " -V", line: []string{python, "-c", "import sys,urllib.request as u;u.build_opener(u.ProxyHandler({})).open(sys.argv[1]).read()"}},
	}
}

// What ignores proxies reaches no site, without a flag. Where it can reach one, the exit status
// tells that nothing came through polite.
func TestIgnoresProxies(t *testing.T) {
	w := newWeb(t)
	isolates(t, w)
	for _, p := range ignoring() {
		t.Run(p.name, func(t *testing.T) {
			p.needs(t)
			var arrived atomic.Int64
			site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived.Add(1) }))
			defer site.Close()
			got := politely(t, w, nil, append(p.command(t), site.URL+"/private")...)
			assert.Zero(t, arrived.Load(), "%+v", got)
			assert.Contains(t, got.err, "--isolate=false")

			got = politely(t, w, []string{"--isolate=false"}, append(p.command(t), site.URL+"/private")...)
			assert.NotZero(t, arrived.Load(), "%+v", got)
			assert.Equal(t, 3, got.status, got.err)
			assert.Contains(t, got.err, "ignores proxies, as Node.js before 22.21 does")
			assert.Contains(t, got.err, "--isolate leaves it no other way out")
		})
	}
}

// In a network of its own, a program is what it was: its exit status, the servers that it starts
// itself, sites at private addresses, and another polite run are its own.
func TestIsolatedIsOrdinary(t *testing.T) {
	program{name: "curl", tries: "curl --version"}.needs(t)
	program{name: "python", tries: python + " -V"}.needs(t)
	w := newWeb(t)
	isolates(t, w)
	w.Robots("shop.test", origintest.Text(rules))
	polite, err := built()
	assert.NoError(t, err)
	nested := []string{polite, "run", "-A", userAgent, "--", "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}"}
	serves := `import http.server as h,threading,urllib.request as u
s=h.HTTPServer(("127.0.0.1",0),h.SimpleHTTPRequestHandler)
threading.Thread(target=s.serve_forever,daemon=True).start()
print(u.urlopen("http://localhost:%d/"%s.server_port).status)`
	for _, test := range []struct {
		name    string
		line    []string
		status  int
		out     string
		arrives []string // pages
	}{
		{"nothing is asked for", []string{"true"}, 0, "", nil},
		{"a status of its own", []string{"sh", "-c", "exit 3"}, 3, "", nil},
		{"a signal", []string{"sh", "-c", "kill -TERM $$"}, 143, "", nil},
		{"a server of its own", []string{python, "-c", serves}, 0, "200\n", nil},
		{"a page", []string{"curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "https://shop.test/a"}, 0, "200", []string{"/a"}},
		{"a private address", []string{"curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "http://10.1.2.3/a"}, 0, "200", []string{"/a"}},
		{"nested", append(nested, "https://shop.test/a"), 0, "200", []string{"/a"}},
		{"nested, disallowed", append(nested, "https://shop.test/private"), 0, "403", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.Take()
			got := politely(t, w, nil, test.line...)
			assert.Equal(t, test.status, got.status, "%+v", got)
			assert.True(t, strings.HasSuffix(got.out, test.out), "%+v", got)
			uris := w.Take().Pages().URIs()
			assert.Equal(t, test.arrives, uris, fmt.Sprintf("%+v", got))
		})
	}
}

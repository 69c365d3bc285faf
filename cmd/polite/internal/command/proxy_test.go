package command

import (
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const proxyAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// startProxy starts a proxy in this process. It returns its link, and a function that ends it
// as Ctrl-C does, and returns what it did.
func startProxy(t *testing.T, args ...string) (link *url.URL, end func() result) {
	first, end := startServing(t, append([]string{"proxy", "-A", proxyAgent, "--listen", "127.0.0.1:0"}, args...)...)
	link, err := url.Parse(first)
	require.NoError(t, err)
	return link, end
}

// newProxiedSite starts a site with a page under every path that its robots.txt allows.
func newProxiedSite(t *testing.T) site {
	newCache(t)
	web := origintest.New(t)
	web.Robots("", origintest.Text("user-agent: *\r\ndisallow: /private/\r\n"))
	return site{web, "http://" + web.Address()}
}

// fetchBy fetches a page by a proxy.
func fetchBy(t *testing.T, through *url.URL, page string, fields ...string) (status int, body string) {
	transport := &http.Transport{Proxy: http.ProxyURL(through), DisableKeepAlives: true}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	require.NoError(t, err)
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(all)
}

// A program behind the proxy is polite, the certificate is there for as long as the proxy, and
// the end tells what was done.
func TestProxy(t *testing.T) {
	site, ca := newProxiedSite(t), filepath.Join(t.TempDir(), "ca.pem")
	link, end := startProxy(t, "--private", "*", "--ca", ca)
	status, body := fetchBy(t, link, site.URL+"/a", "User-Agent", "curl/8")
	assert.Equal(t, 200, status)
	assert.Equal(t, "a page\n", body)
	status, body = fetchBy(t, link, site.URL+"/private/a")
	assert.Equal(t, 403, status)
	assert.Contains(t, body, `by "disallow: /private/", line 2 of `+site.URL+"/robots.txt")
	_, body = fetchBy(t, link, site.URL+"/robots.txt")
	assert.Equal(t, "user-agent: *\r\ndisallow: /private/\r\n", body)
	assert.Equal(t, []string{"/robots.txt", "/a"}, site.arrivals())
	for _, a := range site.Log() {
		assert.Equal(t, proxyAgent, a.Header.Get("User-Agent"))
	}

	text, err := os.ReadFile(ca)
	require.NoError(t, err)
	assert.True(t, x509.NewCertPool().AppendCertsFromPEM(text))
	got := end()
	assert.Equal(t, 0, got.status)
	assert.Equal(t, "polite proxy: set this as the proxy of programs; for https, programs must trust "+ca+"; Ctrl-C ends it\n"+
		"polite proxy: 1 sent, 1 refused (disallowed)\n", got.stderr)
	assert.NoFileExists(t, ca)
}

// With the secret of a file, programs need it, also those of the user.
func TestProxySecret(t *testing.T) {
	site, file := newProxiedSite(t), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("0123456789abcdef\n"), 0o600))
	link, end := startProxy(t, "--private", "*", "--secret", file)
	assert.Nil(t, link.User, "who starts it has the secret")
	status, _ := fetchBy(t, link, site.URL+"/a")
	assert.Equal(t, 407, status)
	link.User = url.UserPassword("polite", "0123456789abcdef")
	status, _ = fetchBy(t, link, site.URL+"/a")
	assert.Equal(t, 200, status)
	assert.Contains(t, end().stderr, "1 of other users turned away")
}

// The figures are those of the summary, as Prometheus reads them.
func TestProxyMetrics(t *testing.T) {
	site := newProxiedSite(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := free.Addr().String()
	require.NoError(t, free.Close())
	link, _ := startProxy(t, "--private", "*", "--metrics", address)
	fetchBy(t, link, site.URL+"/a")
	fetchBy(t, link, site.URL+"/private/a")
	_, text := fetchBy(t, nil, "http://"+address+"/metrics")
	for _, want := range []string{
		"# TYPE polite_sent_total counter\npolite_sent_total 1\n", "polite_requests_total 2\n", "polite_origins 1\n",
		"polite_refused_total{kind=\"disallowed\"} 1\n",
	} {
		assert.Contains(t, text, want)
	}
}

// Without --private, no site of this machine is asked. With --cache, what it answered is kept for who may ask it, and
// for nobody else.
func TestProxyKeepsPrivate(t *testing.T) {
	site := newProxiedSite(t)
	for _, flags := range [][]string{nil, {"--private", "*"}, nil, {"--private", "localhost,127.0.0.1"}} {
		link, end := startProxy(t, append(flags, "--cache")...)
		status, body := fetchBy(t, link, site.URL+"/robots.txt")
		assert.Equal(t, flags == nil, status == 403, body)
		assert.Equal(t, flags == nil, body != "user-agent: *\r\ndisallow: /private/\r\n")
		assert.Equal(t, flags == nil, strings.Contains(body, "not an address of the public internet"))
		assert.Equal(t, 0, end().status)
	}
	assert.Len(t, site.arrivals(), 1)
}

// A browser's images come as they are, if the user says so, and what scripts fetch does not.
func TestProxyBrowser(t *testing.T) {
	site := newProxiedSite(t)
	link, _ := startProxy(t, "--private", "*", "--browser", "documents")
	for _, test := range []struct {
		dest, mode string
		want       int
	}{
		{"image", "no-cors", 200}, {"font", "cors", 200}, {"style", "no-cors", 200},
		{"empty", "cors", 403}, {"document", "navigate", 403}, {"image", "navigate", 403}, {"script", "no-cors", 403}, {"iframe", "navigate", 403}, {"", "", 403},
	} {
		status, _ := fetchBy(t, link, site.URL+"/private/a", "Sec-Fetch-Dest", test.dest, "Sec-Fetch-Mode", test.mode)
		assert.Equal(t, test.want, status, test.dest)
	}
}

func TestProxyMisuse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "who asks? write -A and who you are"},
		{[]string{"-A", "Example Bot"}, "write the name as one word"},
		{[]string{"-A", proxyAgent, "--listen", "3128"}, "--listen takes an address and a port"},
		{[]string{"-A", proxyAgent, "--browser", "none"}, "write all or documents"},
		{[]string{"-A", proxyAgent, "--secret", "testdata/none"}, "--secret: open testdata/none"},
		{[]string{"-A", proxyAgent, "curl"}, `unexpected argument "curl": to run a command, write "polite run"`},
	} {
		assertMisuse(t, "proxy", test.want, test.args...)
	}
}

// A proxy of the user that polite would not go through is told, and nothing is served.
func TestProxyAllProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "all_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("ALL_PROXY", "socks5://127.0.0.1:1")
	got := runCommand(t, "proxy", "-A", proxyAgent, "--listen", "127.0.0.1:0")
	assert.Equal(t, result{1, "", "polite proxy: polite does not go through the proxy of ALL_PROXY: set HTTP_PROXY and HTTPS_PROXY to it, or take ALL_PROXY out\n"}, got)
}

// What keeps the proxy from serving is told, and no file is left.
func TestProxyFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close()
	folder := t.TempDir()
	ca, mine := filepath.Join(folder, "ca.pem"), filepath.Join(folder, "mine")
	require.NoError(t, os.WriteFile(mine, []byte("precious"), 0o600))
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--listen", taken.Addr().String()}, taken.Addr().String() + " is taken: choose another address by --listen"},
		{[]string{"--listen", "127.0.0.1:0", "--ca", mine}, "is a file of yours: name one that does not exist"},
		{[]string{"--listen", "127.0.0.1:0", "--ca", filepath.Join(folder, "none", "ca.pem")}, "--ca: "},
		{[]string{"--listen", "127.0.0.1:0", "--ca", ca, "--metrics", taken.Addr().String()}, "--metrics takes a free address"},
	} {
		got := runCommand(t, append([]string{"proxy", "-A", proxyAgent}, test.args...)...)
		assert.Equal(t, 1, got.status, "%v", test.args)
		assert.Contains(t, got.stderr, test.want, "%v", test.args)
	}
	text, err := os.ReadFile(mine)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(text))
	assert.Len(t, entriesOf(t, folder), 1)
}

func entriesOf(t *testing.T, folder string) []os.DirEntry {
	found, err := os.ReadDir(folder)
	require.NoError(t, err)
	return found
}

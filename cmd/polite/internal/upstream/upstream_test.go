package upstream_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/public"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A recorder is a proxy that answers by itself.
type recorder struct {
	*origintest.Server
	URL string
}

func newRecorder(t *testing.T) *recorder {
	web := origintest.New(t)
	web.Others(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodConnect {
			w.WriteHeader(http.StatusForbidden)
		}
		io.WriteString(w, "from the proxy")
	})
	return &recorder{web, "http://" + web.Address()}
}

// lines returns what was asked for, and by whom.
func (r *recorder) lines() (lines []string) {
	for _, a := range r.Log() {
		lines = append(lines, a.Method+" "+a.URI+" "+a.Header.Get("Via"))
	}
	return lines
}

// throughProxy lets the environment name a proxy.
func throughProxy(t *testing.T, proxy string) *upstream.Way {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "REQUEST_METHOD"} {
		t.Setenv(name, "")
		t.Setenv(strings.ToLower(name), "")
	}
	t.Setenv("HTTP_PROXY", proxy)
	t.Setenv("HTTPS_PROXY", proxy)
	return upstream.FromEnvironment()
}

func get(t *testing.T, w *upstream.Way, private bool, page string) (string, error) {
	var open verb.Private
	if private {
		open = verb.Private{"*"}
	}
	transport := w.Transport(open)
	t.Cleanup(transport.CloseIdleConnections)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page, nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(all), nil
}

// The proxy of the environment is used, although its own address is private. It is told who
// comes, for tunnels; other requests have it from who sends them.
func TestThroughProxy(t *testing.T) {
	r := newRecorder(t)
	for _, spelled := range []string{r.URL, strings.TrimPrefix(r.URL, "http://")} {
		w := throughProxy(t, spelled)
		assert.NotEmpty(t, w.Via())
		for _, private := range []bool{false, true} {
			body, err := get(t, w, private, "http://shop.example/a")
			require.NoError(t, err)
			assert.Equal(t, "from the proxy", body)
			_, err = get(t, w, private, "https://shop.example/a")
			assert.ErrorContains(t, err, "Forbidden")
			assert.Equal(t, []string{"GET http://shop.example/a ", "CONNECT shop.example:443 1.1 " + w.Via()}, r.lines())
			r.Take()
		}
	}
}

// What another proxy would look up is closed by its name.
func TestPrivateThroughProxy(t *testing.T) {
	r := newRecorder(t)
	w := throughProxy(t, r.URL)
	for _, page := range []string{"http://10.0.0.1/", "https://10.0.0.1/", "http://printer.local/", "http://intranet/", "http://[fd00::1]/", "http://169.254.169.254/latest"} {
		_, err := get(t, w, false, page)
		assert.ErrorIs(t, err, public.ErrPrivate, page)
	}
	assert.Empty(t, r.lines())
	_, err := get(t, w, true, "http://10.0.0.1/")
	assert.NoError(t, err)
	t.Setenv("NO_PROXY", "*")
	_, err = upstream.FromEnvironment().Transport(nil).Proxy(&http.Request{URL: &url.URL{Scheme: "http", Host: "intranet"}})
	assert.NoError(t, err, "without a proxy, its address decides")
}

// The proxy is no site, although its private address is dialled for other sites.
func TestProxyIsNoSite(t *testing.T) {
	r := newRecorder(t)
	_, port, err := net.SplitHostPort(r.Address())
	require.NoError(t, err)
	for named, page := range map[string]string{
		r.URL:                       r.URL + "/admin",
		"http://LOCALHOST:" + port:  "http://LOCALHOST:" + port + "/admin",
		"https://127.0.0.1:" + port: "http://127.0.0.1:" + port + "/admin",
		"127.0.0.1:" + port:         "http://\uff11\uff12\uff17.0.0.1:" + port + "/admin", // which DNS takes for digits
	} {
		_, err := get(t, throughProxy(t, named), false, page)
		assert.ErrorIs(t, err, public.ErrPrivate, page)
		_, err = get(t, throughProxy(t, named), true, r.URL+"/admin")
		assert.NoError(t, err, "private sites are open")
	}
	assert.Len(t, r.lines(), 4, "%v", r.lines())
}

// Each way to spell a proxy names the address at which it is dialled, which is no site unless the way to it leads
// through the proxy.
func TestSpellings(t *testing.T) {
	for _, test := range []struct {
		proxy, page string
		isSite      bool
	}{
		{"http://p.example", "http://p.example/", false},
		{"p.example", "http://P.example:80/", false},
		{"p.example:3128", "http://p.example:3128/", false},
		{"http://p.example:3128", "https://p.example:3128/", false},
		{"https://p.example", "https://p.example/", false},
		{"socks5://p.example", "http://p.example:1080/", false},
		{"socks5h://p.example", "http://p.example:1080/", false},
		{"http://p.example:3128", "http://p.example/", true},
		{"http://p.example:3128", "http://q.example:3128/", true},
		{"https://p.example", "http://p.example/", true},
	} {
		page, err := url.Parse(test.page)
		require.NoError(t, err)
		through := throughProxy(t, test.proxy)
		to, err := through.Transport(nil).Proxy(&http.Request{URL: page})
		require.NoError(t, err)
		assert.NotNil(t, to)
		assert.True(t, through.Leads(page))
		t.Setenv("NO_PROXY", "*")
		beside := upstream.FromEnvironment()
		to, err = beside.Transport(nil).Proxy(&http.Request{URL: page})
		assert.Equal(t, test.isSite, err == nil, test)
		assert.Nil(t, to)
		assert.False(t, beside.Leads(page))
	}
}

// Straight, the dialer looks at addresses.
func TestStraight(t *testing.T) {
	r := newRecorder(t)
	w := upstream.Straight()
	assert.Empty(t, w.Via(), "no loop without another proxy")
	_, err := get(t, w, false, r.URL)
	assert.ErrorIs(t, err, public.ErrPrivate)
	assert.Empty(t, r.lines())
	body, err := get(t, w, true, r.URL)
	require.NoError(t, err)
	assert.Equal(t, "from the proxy", body)
}

// A host that is named may be at a private address. Another name of the same address may not.
func TestTransportToOne(t *testing.T) {
	r := newRecorder(t)
	_, port, err := net.SplitHostPort(r.Address())
	require.NoError(t, err)
	transport := upstream.Straight().Transport(verb.Private{"127.0.0.1"})
	t.Cleanup(transport.CloseIdleConnections)
	for host, ok := range map[string]bool{"127.0.0.1": true, "localhost": false, "127.1": false, "[::ffff:127.0.0.1]": false} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+":"+port+"/", nil)
		require.NoError(t, err)
		resp, err := transport.RoundTrip(req)
		assert.Equal(t, ok, err == nil, "%s: %v", host, err)
		if err == nil {
			resp.Body.Close()
		}
	}
	assert.Len(t, r.lines(), 1)
}

// Over HTTP/2, a site that sends to a program that does not read soon has to wait.
func TestSlowReader(t *testing.T) {
	sent := make(chan int, 1)
	site := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.NewResponseController(w).SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		n := 0
		for range 1000 {
			m, err := w.Write(make([]byte, 16<<10))
			if n += m; err != nil {
				break
			}
		}
		sent <- n
	}))
	site.EnableHTTP2 = true
	site.StartTLS()
	t.Cleanup(site.Close)
	transport := upstream.Straight().Transport(verb.Private{"*"})
	transport.TLSClientConfig = site.Client().Transport.(*http.Transport).TLSClientConfig
	t.Cleanup(transport.CloseIdleConnections)
	resp, err := (&http.Client{Transport: transport}).Get(site.URL)
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, 2, resp.ProtoMajor)
	assert.LessOrEqual(t, <-sent, 256<<10)
}

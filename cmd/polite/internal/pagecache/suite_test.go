package pagecache_test

import (
	"bufio"
	"context"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// client runs the cases of the suite for a cache of one user, and writes a line for each required one.
const client = `
import { runTests, getResults } from './test-engine/client/runner.mjs'
import { determineTestResult, resultTypes } from './test-engine/lib/results.mjs'
import tests from './tests/index.mjs'
await runTests(tests, true, process.env.FRONT)
const results = getResults()
for (const test of tests.flatMap(set => set.tests)) {
  if (!(test.id in results) || (test.kind ?? 'required') !== 'required') continue
  const found = determineTestResult(tests, test.id, results)
  console.log(Object.keys(resultTypes).find(name => resultTypes[name] === found), test.id, results[test.id])
}`

// The cases of http-tests/cache-tests that RFC 9111 requires. POLITE_CACHE_TESTS names its folder,
// after "npm install" there. Many cases are about pages that are not kept: those neither pass nor fail.
func TestSuite(t *testing.T) {
	folder := os.Getenv("POLITE_CACHE_TESTS")
	if folder == "" {
		t.Skip("POLITE_CACHE_TESTS names no folder")
	}
	server := suiteServer(t, folder)
	front := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(server) },
		Transport: between(t),
		ErrorLog:  log.New(io.Discard, "", 0), // some sites of the suite cut what they send
	})
	defer front.Close()
	cmd := exec.CommandContext(t.Context(), "node", "--no-warnings", "--input-type=module", "-e", client)
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), "FRONT="+front.URL), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	passes := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "pass ") {
			passes++
		}
		assert.NotRegexp(t, "^fail ", line)
	}
	t.Logf("of %d cases %d pass", strings.Count(string(out), "\n"), passes)
	assert.Greater(t, passes, 100)
}

// suiteServer starts the sites of the suite.
func suiteServer(t *testing.T, folder string) *url.URL {
	cmd := exec.CommandContext(t.Context(), "node", "test-engine/server/server.mjs")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "npm_config_protocol=http", "npm_config_port=0", "npm_config_pidfile="+filepath.Join(t.TempDir(), "pid"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { cmd.Wait() })
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, lines)
	port := regexp.MustCompile(`:(\d+)/\n`).FindStringSubmatch(line)
	require.Len(t, port, 2, line)
	return &url.URL{Scheme: "http", Host: "localhost:" + port[1]}
}

// between returns the cache that is tested. The fields by which the suite knows its requests pass it by.
func between(t *testing.T) http.RoundTripper {
	type own struct{}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DisableCompression = true
	cache := &pagecache.Transport{
		Polite: &polite.Transport{
			UserAgent: "ExampleBot/1.0",
			Policy:    polite.Policy{Exempt: func(*http.Request) bool { return true }},
			Pace:      polite.Pace{Backoff: polite.Backoff{Off: true}},
			Base: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
				req = req.Clone(req.Context())
				maps.Copy(req.Header, req.Context().Value(own{}).(http.Header))
				return base.RoundTrip(req)
			}),
		},
		Folder: &pagecache.Folder{Name: filepath.Join(t.TempDir(), "pages"), Failed: func(err error) { assert.NoError(t, err) }},
	}
	return origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
		if !strings.HasPrefix(req.URL.Path, "/test/") {
			return base.RoundTrip(req)
		}
		fields := make(http.Header)
		for _, name := range []string{"Test-Id", "Test-Name", "Req-Num", "User-Agent", "Sec-Fetch-Mode", "Accept-Encoding", "Connection"} {
			if values, ok := req.Header[name]; ok {
				fields[name] = values
				delete(req.Header, name)
			}
		}
		return cache.RoundTrip(req.WithContext(context.WithValue(req.Context(), own{}, fields)))
	})
}

package tester

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBounds(t *testing.T) {
	c := serve(t, Start{}, nil)
	judge := func(request string, urls ...string) []part {
		return []part{{"request", request}, {"text", "user-agent: *"}, listed(urls...)}
	}
	for name, test := range map[string]struct {
		parts  []part
		status int
		want   string
	}{
		"text":            {[]part{{"request", "{}"}, {"text", repeated("#", mostText)}}, 200, `"verdicts":[]`},
		"too much text":   {[]part{{"request", "{}"}, {"text", repeated("#", mostText+1)}}, 413, "The file is longer than 2 MiB"},
		"too much before": {[]part{{"request", "{}"}, {"before", repeated("#", mostText+1)}}, 413, "The file of before is longer than 2 MiB"},
		"a huge request":  {[]part{{"request", repeated(" ", mostRequest+1)}}, 413, "The question is longer than 64 KiB"},
		"too much in all": {[]part{{"request", "{}"}, {"other", repeated("#", mostBytes)}}, 400, "unknown"},
		"10,000 URLs":     {judge("{}", slices.Repeat([]string{"/a"}, mostURLs)...), 200, `"allowed":10000`},
		"10,001 URLs":     {judge("{}", slices.Repeat([]string{"/a"}, mostURLs+1)...), 413, "more than 10,000 URLs"},
		"long URLs":       {judge("{}", repeated("a", mostURLBytes), ""), 413, "The URLs are longer than 4 MiB"},
		"no request":      {[]part{{"text", "user-agent: *"}}, 400, "no JSON"},
		"bad JSON":        {judge(`{"agent":`), 400, "no JSON"},
		"JSON of a list":  {judge(`[]`), 400, "no JSON"},
		"a number":        {judge(`{"agent":1}`), 400, "no JSON"},
		"two in one":      {judge(`{}{}`), 400, "no JSON"},
		"deep JSON":       {judge(repeated("[", mostRequest)), 400, "no JSON"},
		"explain nothing": {judge(`{"explain":1}`, "/a"), 400, "no URL 1 to explain"},
		"explain before":  {judge(`{"explain":-2}`, "/a"), 400, "no URL -2 to explain"},
		"no crawler":      {judge(`{"agent":"(/)"}`), 400, "it names no crawler"},
		"a long crawler":  {judge(`{"agent":"` + repeated("a", mostAgent+1) + `"}`), 400, "too long"},
		"a part twice":    {append(judge(`{}`), part{"text", "x"}), 400, "occurs twice"},
		"an unknown part": {append(judge(`{}`), part{"\u202e", "x"}), 400, `The part \"\\u202e\" is unknown`},
	} {
		t.Run(name, func(t *testing.T) {
			resp, body := c.send(c.request("judge", test.parts...))
			assert.Equal(t, test.status, resp.StatusCode)
			assert.Contains(t, body, test.want)
			assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
			assert.NotContains(t, body, "\u202e")
			assertProtected(t, resp)
		})
	}
}

// What a form of another page can send without asking first is not read.
func TestForms(t *testing.T) {
	c := serve(t, Start{}, nil)
	for name, test := range map[string]struct {
		kind, body string
		status     int
	}{
		"text":         {"text/plain", `{"agent":"a"}`, 415},
		"JSON":         {"application/json", `{}`, 415},
		"a simple one": {"application/x-www-form-urlencoded", "request={}", 415},
		"no type":      {"", "{}", 415},
		"no boundary":  {"multipart/form-data", "--\r\n\r\n{}", 415},
		"mixed":        {"multipart/mixed; boundary=a", "--a\r\nContent-Disposition: form-data; name=request\r\n\r\n{}\r\n--a--\r\n", 415},
		"no end":       {"multipart/form-data; boundary=a", "--a\r\nContent-Disposition: form-data; name=request\r\n\r\n{}", 400},
		"no part":      {"multipart/form-data; boundary=a", "--a--\r\n", 400},
		"no name":      {"multipart/form-data; boundary=a", "--a\r\n\r\n{}\r\n--a--\r\n", 400},
		"empty":        {"multipart/form-data; boundary=a", "", 400},
		"many headers": {"multipart/form-data; boundary=a", "--a\r\n" + repeated("A: b\r\n", 100_000) + "\r\n{}\r\n--a--\r\n", 400},
		"whole":        {"multipart/form-data; boundary=a", "--a\r\nContent-Disposition: form-data; name=request\r\n\r\n{}\r\n--a--\r\n", 200},
	} {
		t.Run(name, func(t *testing.T) {
			req := c.request("start")
			req.Body, req.ContentLength = io.NopCloser(strings.NewReader(test.body)), int64(len(test.body))
			req.Header["Content-Type"] = []string{test.kind}
			resp, body := c.send(req)
			assert.Equal(t, test.status, resp.StatusCode, body)
		})
	}
}

// A pipeListener accepts the ends of pipes, so that time can be a bubble's.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l pipeListener) Close() error {
	select {
	case <-l.done:
	default:
		close(l.done)
	}
	return nil
}

func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// Who sends slowly is not waited for, and keeps nobody else waiting for long.
func TestSlow(t *testing.T) {
	head := "POST /TOKEN/api/start HTTP/1.1\r\nHost: 127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\nContent-Type: multipart/form-data; boundary=a\r\nContent-Length: 1000000\r\n"
	for name, test := range map[string]struct {
		sent string
		most time.Duration
	}{
		"a header": {head, 10 * time.Second},
		"a body":   {head + "\r\n--a\r\n", time.Minute},
		"nothing":  {"", 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := pipeListener{make(chan net.Conn), make(chan struct{})}
				s := New(Options{}, l)
				ended := make(chan error)
				go func() { ended <- s.Serve(t.Context()) }()
				ours, theirs := net.Pipe()
				l.conns <- theirs
				began := time.Now()
				go io.WriteString(ours, strings.Replace(test.sent, "TOKEN", s.guard.token, 1))
				_, err := io.Copy(io.Discard, ours) // until the server closes it
				require.NoError(t, err)
				assert.LessOrEqual(t, time.Since(began), test.most+time.Second)
				l.Close()
				require.ErrorIs(t, <-ended, net.ErrClosed)
			})
		})
	}
}

// Four work at a time; who has waited for ten seconds is told to try again.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesks()
		for range mostAtWork {
			_, err := d.take(t.Context(), "judge")
			require.NoError(t, err)
		}
		began := time.Now()
		_, err := d.take(t.Context(), "judge")
		assert.Equal(t, failure{http.StatusServiceUnavailable, "The tester is busy with other requests: try again."}, err)
		assert.Equal(t, mostPatience, time.Since(began))
		d.here.Release(1)
		_, err = d.take(t.Context(), "judge")
		assert.NoError(t, err)
	})
}

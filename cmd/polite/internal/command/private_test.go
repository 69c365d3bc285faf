package command

import (
	"context"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"
)

// leadHome lets all names lead to this machine until the test ends.
func leadHome(t *testing.T) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe() // over which messages have their length before them
		go func() {
			defer there.Close()
			length := make([]byte, 2)
			for {
				if _, err := io.ReadFull(there, length); err != nil {
					return
				}
				question := make([]byte, int(length[0])<<8|int(length[1]))
				if _, err := io.ReadFull(there, question); err != nil {
					return
				}
				answer := answerTo(question)
				there.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...))
			}
		}()
		return here, nil
	}}
}

// answerTo answers a question of DNS: all names are at 127.0.0.1.
func answerTo(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}, Body: &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, _ := m.Pack()
	return answer
}

// inAgent calls tools of "polite mcp", in this process, and returns what a model gets.
func inAgent(t *testing.T, args []string, calls ...[2]string) (texts []string) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan int)
	go func() { ended <- runTo(t.Context(), append([]string{"mcp"}, args...), streams(in, out, io.Discard)) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	require.NoError(t, err)
	for _, call := range calls {
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: call[0], Arguments: map[string]any{"url": call[1]}})
		require.NoError(t, err)
		texts = append(texts, result.Content[0].(*mcp.TextContent).Text)
	}
	session.Close()
	assert.Equal(t, 0, <-ended)
	return texts
}

// What "polite get" has kept of a private address is not for a model, whatever the name of the
// site, unless its host is named. The refusal is kept nowhere.
func TestPrivateStaysPrivate(t *testing.T) {
	leadHome(t)
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /secret-plans\nsitemap: /secret.xml\n"), pages{"/a": lasting})
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	site := "http://intranet.example.com:" + u.Port()
	got := runHurried(t, "get", site+"/a")
	require.Equal(t, 0, got.status, got.stderr)
	before := len(s.arrivals())

	calls := [][2]string{{"fetch", site + "/a"}, {"check", site + "/b"}, {"fetch", site + "/robots.txt"}, {"sitemap", site + "/"}, {"fetch", strings.ToUpper(site) + "/a"}}
	for i, text := range inAgent(t, nil, calls...) {
		assert.Contains(t, text, "public internet", calls[i])
		assert.NotContains(t, text, "secret", calls[i])
	}
	assert.Len(t, s.arrivals(), before, "nothing is sent")

	got = runHurried(t, "get", site+"/a")
	assert.Equal(t, "page\n", got.stdout)
	assert.Contains(t, got.stderr, "from the cache", "the refusal changes nothing")
	assert.Len(t, s.arrivals(), before)
	texts := inAgent(t, []string{"--private", "intranet.example.com"}, calls[:2]...)
	assert.Contains(t, texts[0], "page\n")
	assert.Contains(t, texts[1], "may be fetched")
	assert.Len(t, s.arrivals(), before, "it is kept for who may see it")
	assert.Contains(t, inAgent(t, []string{"--private", "intranet.example.com"}, calls[2])[0], "secret-plans")
}

// A refusal because of a private address says nothing of the site.
func TestPrivateIsNoFailure(t *testing.T) {
	leadHome(t)
	s := newSite(t, origintest.Text(""), pages{"/a": origintest.Text("page\n")})
	u, err := url.Parse(s.URL)
	require.NoError(t, err)
	site := "http://intranet.example.com:" + u.Port()
	assert.Contains(t, inAgent(t, nil, [2]string{"fetch", site + "/a"})[0], "not on the public internet")
	got := runHurried(t, "get", site+"/a")
	assert.Equal(t, "page\n", got.stdout, got.stderr)
}

package agent_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// article is a page of the usual size: 60 KB of HTML.
func article() string {
	return "<title>A</title><main>" + strings.Repeat("<h2>One</h2><p>Some <b>text</b> of a <a href=/page>page</a> that is long enough to be read.</p>", 600) + "</main>"
}

// BenchmarkCalls makes calls in one session, at a site without a gap.
func BenchmarkCalls(b *testing.B) {
	for name, args := range map[string]arguments{
		"fetch of 60 KB": {"url": "https://a.example/x"},
		"next piece":     {"url": "https://a.example/x", "start": 20_000},
		"refused":        {"url": "https://a.example/private"},
	} {
		b.Run(name, func(b *testing.B) {
			web := origintest.New(b)
			web.Robots("a.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
			web.Page("a.example", "/x", html(article()))
			session := connect(b, options(b, web, func(o *agent.Options) { o.Model.Transport.Pace = polite.Pace{Backoff: polite.Backoff{Off: true}} }))
			call := func() {
				_, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "fetch", Arguments: args})
				require.NoError(b, err)
			}
			call()
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
			var now runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&now)
			b.ReportMetric(float64(now.HeapAlloc)/(1<<20), "MB-kept")
		})
	}
}

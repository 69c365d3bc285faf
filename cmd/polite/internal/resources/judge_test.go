package resources

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All that a page loads is grouped by origin, in the order of the page, also if an origin
// hangs. Each is asked once.
func TestJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /a\n"))
		web.Robots("hangs.example", origintest.Hang)
		web.Robots("cdn.example", origintest.Delay(2*time.Second, origintest.Text("user-agent: *\ndisallow: /c\n")))
		p, _ := read(t, `<img src=//hangs.example/1><img src=/a/2><img src=//cdn.example/c3><script src=//hangs.example/4></script><script src=/5></script><img src=//cdn.example/6>`)
		j := judge.New(judge.Options{Crawlers: [][]string{{"a"}, {"b"}}, Base: web.Transport(t), Cache: new(polite.Cache)})
		start := time.Now()
		hosts, err := p.Judge(t.Context(), j, j, new(report.Work))
		require.NoError(t, err)
		assert.LessOrEqual(t, time.Since(start), 31*time.Second)
		var got []string
		for _, h := range hosts {
			for _, l := range h.Loads {
				require.Len(t, l.Verdicts, 2)
				got = append(got, h.Origin+" "+l.Kind+" "+string(report.OutcomeOf(l.Verdicts[0].Decision, l.Verdicts[0].Err)))
			}
		}
		assert.Equal(t, []string{
			"https://example.com page allowed", "https://example.com image disallowed", "https://example.com script allowed",
			"https://hangs.example image unreachable", "https://hangs.example script unreachable",
			"https://cdn.example image disallowed", "https://cdn.example image allowed",
		}, got)
		assert.Len(t, web.Log().Robots(), 3)
		assert.Empty(t, web.Log().Pages())
	})
}

func TestJudgeEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("", origintest.Hang)
		p, _ := read(t, `<img src=//a.example/><img src=//b.example/>`)
		j := judge.New(judge.Options{Crawlers: [][]string{{"a"}}, Base: web.Transport(t), Cache: new(polite.Cache)})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errEnough)
		defer cancel()
		_, err := p.Judge(ctx, j, j, new(report.Work))
		assert.Equal(t, errEnough, err)
	})
}

var errEnough = errors.New("enough")

package agent_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe is a client over standard input and output. It reads what it wants to.
type pipe struct {
	*testing.T
	web     *origintest.Server
	to      *io.PipeWriter
	from    *io.PipeReader
	answers *bufio.Reader
	stop    context.CancelFunc // is a signal to the server
	ended   chan error
}

// inPipe runs a test in a bubble, with a server that has begun.
func inPipe(t *testing.T, test func(p *pipe)) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		in, to := io.Pipe()
		from, out := io.Pipe()
		ctx, stop := context.WithCancel(t.Context())
		p := &pipe{t, web, to, from, bufio.NewReader(from), stop, make(chan error, 1)}
		server := agent.New(options(t, web))
		var serving sync.WaitGroup
		serving.Go(func() {
			p.ended <- agent.Serve(ctx, server, in, out)
			in.Close() // as the end of a process does
		})
		p.say(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
		p.hear()
		p.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		test(p)
		from.Close() // what still writes ends
		to.Close()
		stop()
		serving.Wait()
		time.Sleep(time.Minute) // what is under way ends
	})
}

// say says a line, and reports whether the server has read it.
func (p *pipe) say(line string) bool {
	_, err := io.WriteString(p.to, line+"\n")
	return err == nil
}

func (p *pipe) hear() (answer struct {
	ID    any
	Error struct{ Code int }

	Result json.RawMessage
}) {
	line, err := p.answers.ReadBytes('\n')
	require.NoError(p, err)
	require.NoError(p, json.Unmarshal(line, &answer))
	return answer
}

func callOf(id, url string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"fetch","arguments":{"url":%q}}}`, id, url)
}

// However a client that reads no answers says that it is over, the server ends within two seconds.
func TestEndsUnread(t *testing.T) {
	for name, end := range map[string]func(*pipe){
		"stdin is closed": func(p *pipe) { p.to.Close() },
		"a signal":        func(p *pipe) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inPipe(t, func(p *pipe) {
				p.web.Page("a.example", "/", html("<p>"+strings.Repeat("A guide. ", 10_000)))
				p.web.Page("a.example", "/slow", origintest.Hang)
				for n := range 20 {
					p.say(callOf(strconv.Itoa(n), "https://a.example/"))
				}
				p.say(callOf("90", "https://a.example/slow"))
				p.say("no message")
				time.Sleep(5 * time.Second)
				began := time.Now()
				end(p)
				require.NoError(p, <-p.ended)
				assert.LessOrEqual(p, time.Since(began), 2*time.Second)
			})
		})
	}
}

// A client that goes on asking, and reads nothing, has so many calls under way, and then is left.
func TestUnreadEnds(t *testing.T) {
	inPipe(t, func(p *pipe) {
		n := 0
		for p.say(callOf(strconv.Itoa(n), "https://a.example/"+strconv.Itoa(n))) {
			n++
			require.Less(p, n, 2000)
		}
		require.ErrorContains(p, <-p.ended, "the client reads no answers")
		assert.LessOrEqual(p, len(p.web.Log().Pages()), 100)
	})
}

// A call beyond what may be under way is refused at once, and one after an answer is not.
func TestCallsAreBounded(t *testing.T) {
	inPipe(t, func(p *pipe) {
		p.web.Others(origintest.Hang)
		for n := range 101 {
			p.say(callOf(strconv.Itoa(n), "https://a.example/"+strconv.Itoa(n)))
		}
		answer := p.hear()
		assert.InDelta(p, 100, answer.ID, 0)
		assert.Equal(p, -32000, answer.Error.Code)
		p.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
		synctest.Wait()
		p.say(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
		assert.Equal(p, "ping", p.hear().ID, "the cancelled one has made room, and is not answered")
	})
}

// Who writes null for an ID, or one that is in use, learns of it.
func TestIDs(t *testing.T) {
	inPipe(t, func(p *pipe) {
		p.web.Others(origintest.Hang)
		p.say(`{"jsonrpc":"2.0","id":null,"method":"ping"}`)
		assert.Equal(p, -32600, p.hear().Error.Code)
		p.say(callOf("7", "https://a.example/"))
		p.say(`{"jsonrpc":"2.0","id":7,"method":"ping"}`)
		answer := p.hear()
		assert.Equal(p, -32600, answer.Error.Code)
		assert.InDelta(p, 7, answer.ID, 0)
	})
}

// What a client has said before it closes its end is answered, if that takes no time.
func TestLastLines(t *testing.T) {
	inPipe(t, func(p *pipe) {
		var ids []any
		for n := range 5 {
			p.say(fmt.Sprintf(`{"jsonrpc":"1.0","id":%d,"method":"ping"}`, n))
		}
		p.to.Close()
		synctest.Wait()
		assert.Empty(p, p.ended, "before the answers are read")
		for range 5 {
			ids = append(ids, p.hear().ID)
		}
		slices.SortFunc(ids, func(a, b any) int { return int(a.(float64) - b.(float64)) })
		assert.Equal(p, []any{0., 1., 2., 3., 4.}, ids)
		require.NoError(p, <-p.ended)
	})
}

// A call that was sent before the client closes its end, or sends a signal, is answered within two seconds.
func TestLastCalls(t *testing.T) {
	for name, end := range map[string]func(*pipe){
		"stdin is closed": func(p *pipe) { p.to.Close() },
		"a signal":        func(p *pipe) { p.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			inPipe(t, func(p *pipe) {
				p.web.Page("a.example", "/", origintest.Delay(300*time.Millisecond, html("<p>A guide")))
				p.web.Page("b.example", "/slow", origintest.Hang)
				p.say(callOf("1", "https://a.example/"))
				p.say(callOf("2", "https://b.example/slow"))
				p.say(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
				synctest.Wait()
				end(p)
				began := time.Now()
				assert.InDelta(p, 3, p.hear().ID, 0)
				answer := p.hear()
				assert.InDelta(p, 1, answer.ID, 0)
				assert.Contains(p, string(answer.Result), "A guide")
				answer = p.hear()
				assert.InDelta(p, 2, answer.ID, 0)
				assert.Equal(p, -32000, answer.Error.Code)
				require.NoError(p, <-p.ended)
				assert.LessOrEqual(p, time.Since(began), 2*time.Second)
			})
		})
	}
}

package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostCalls is how many calls of a client may be under way: received, and not written as answers yet.
const mostCalls = 100

// A bounded is a Transport whose client has at most mostCalls under way. Those beyond are refused.
type bounded struct {
	mcp.Transport
	refuse func(id string, code int, problem string)
	over   <-chan struct{}
	client context.Context // ends with what the client may say
}

// Connect returns a connection that counts the calls under way.
func (t bounded) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return &calls{Connection: c, refuse: t.refuse, over: t.over, client: t.client, writing: make(turn, 1), open: make(map[jsonrpc.ID]bool)}, err
}

// A calls is a connection that knows which calls are under way, and which of them the client has cancelled.
type calls struct {
	mcp.Connection
	refuse  func(id string, code int, problem string)
	over    <-chan struct{}
	client  context.Context
	writing turn

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // true if it is cancelled
	last chan struct{}       // closed when none is open; nil before the client has ended
}

// Read returns the next message that the server is to see. The server drops all calls when it sees the end, so the end
// comes after the answers.
func (c *calls) Read(ctx context.Context) (jsonrpc.Message, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.client, cancel)()
	for {
		m, err := c.Connection.Read(ctx)
		if err != nil {
			c.finish()
			return m, err
		}
		if req, ok := m.(*jsonrpc.Request); !ok || c.takes(req) {
			return m, nil
		}
	}
}

// finish waits for the answers of the calls under way, for lastWords at most. It refuses the others.
func (c *calls) finish() {
	c.mu.Lock()
	last := make(chan struct{})
	c.last = last
	c.close()
	c.mu.Unlock()
	select {
	case <-last:
	case <-c.over:
	case <-time.After(lastWords):
		c.refuseOpen()
	}
}

func (c *calls) refuseOpen() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, cancelled := range c.open {
		if !cancelled {
			text, _ := json.Marshal(id.Raw())
			c.refuse(string(text), codeBusy, "it takes too long: let polite run, with its standard input open, until all is answered")
			c.open[id] = true
		}
	}
}

// close closes last, if the client has ended and none is open. c.mu is locked.
func (c *calls) close() {
	if c.last != nil && len(c.open) == 0 {
		close(c.last)
		c.last = nil
	}
}

// takes counts a call, or notes that one is cancelled. It refuses a call too many.
func (c *calls) takes(req *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !req.IsCall() {
		c.cancel(req)
		return true
	}
	_, twice := c.open[req.ID]
	switch id, _ := json.Marshal(req.ID.Raw()); {
	case twice:
		c.refuse(string(id), jsonrpc.CodeInvalidRequest, "another call under way has this ID")
		return false
	case len(c.open) >= mostCalls:
		c.refuse(string(id), codeBusy, fmt.Sprintf("%d calls are under way: wait for one of them", mostCalls))
		return false
	}
	c.open[req.ID] = false
	return true
}

// codeBusy is of the range that JSON-RPC 2.0 §5.1 leaves to servers.
const codeBusy = -32000

// cancel notes that the client wants no answer, if that is what a notification says.
func (c *calls) cancel(req *jsonrpc.Request) {
	var p struct{ RequestID any }
	if req.Method != "notifications/cancelled" || json.Unmarshal(req.Params, &p) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
		if _, ok := c.open[id]; ok {
			c.open[id] = true
		}
	}
}

// Write sends a message, unless it answers a call that the client has cancelled (MCP, "Cancellation").
// The call is under way until the client has read the answer, or as much as a pipe holds.
func (c *calls) Write(ctx context.Context, m jsonrpc.Message) error {
	if !c.writing.take(c.over) {
		return io.ErrClosedPipe
	}
	defer c.writing.end()
	if resp, ok := m.(*jsonrpc.Response); ok {
		defer c.done(resp.ID)
		if c.isCancelled(resp.ID) {
			return nil
		}
	}
	return c.Connection.Write(ctx, m)
}

func (c *calls) isCancelled(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open[id]
}

func (c *calls) done(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, id)
	c.close()
}

package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostUnread is how many octets of refusals a client may leave unread.
const mostUnread = 128 << 10

const (
	lastWords = 1700 * time.Millisecond // how long calls are answered after the client or ctx has ended
	farewell  = 1900 * time.Millisecond // how long what is under way may take to end after that
)

// Serve serves a client that sends messages, one a line, until in or ctx ends. Then it answers the calls under way, in
// two seconds, those that take longer with an error. It returns an error
// if no answer can be written, or if the client goes on asking and reads none. A line that is no
// message is answered with an error (JSON-RPC 2.0 §5.1), and the SDK does not see it: it would end.
//
// A write to a client that reads nothing never ends, and the SDK waits for it. Serve does not.
func Serve(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	open, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	w := &wholeWriter{w: out, turn: make(turn, 1), over: open.Done(), failed: end}
	lines := &lineReader{in: bufio.NewReader(in), out: w, ended: make(chan struct{})}
	ran := make(chan error, 1)
	go func() {
		err := server.Run(open, bounded{&mcp.IOTransport{Reader: io.NopCloser(lines), Writer: w}, w.refuse, open.Done(), ctx})
		w.endRefusals()
		ran <- err
	}()
	var err error
	select {
	case err = <-ran:
	case <-lines.ended:
		err = within(farewell, ran)
	case <-ctx.Done():
		err = within(farewell, ran)
	case <-open.Done():
		err = within(farewell, ran)
	}
	switch {
	case open.Err() != nil:
		return context.Cause(open)
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// within returns what comes in a time, or else nil.
func within(most time.Duration, ran <-chan error) error {
	select {
	case err := <-ran:
		return err
	case <-time.After(most):
		return nil
	}
}

var errUnread = errors.New("the client reads no answers")

// A turn is a lock for which nobody waits once all is over.
type turn chan struct{}

func (t turn) take(over <-chan struct{}) bool {
	select {
	case t <- struct{}{}:
		return true
	case <-over:
		return false
	}
}

func (t turn) end() { <-t }

// A wholeWriter writes one thing at a time.
type wholeWriter struct {
	w      io.Writer
	turn   turn
	over   <-chan struct{}
	failed func(error)

	mu       sync.Mutex
	refusals sync.WaitGroup // none begins once ended is true
	ended    bool
	unread   atomic.Int64 // octets of refusals
}

func (w *wholeWriter) Write(b []byte) (int, error) {
	if !w.turn.take(w.over) {
		return 0, io.ErrClosedPipe
	}
	defer w.turn.end()
	n, err := w.w.Write(b)
	if err != nil {
		w.failed(err)
	}
	return n, err
}

// refuse answers a message with an error. It does not wait until the client reads the answer, so
// that what else the client says is heard, its end too.
func (w *wholeWriter) refuse(id string, code int, problem string) {
	line := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, problem)
	size := int64(len(line))
	if w.unread.Add(size) > mostUnread {
		w.failed(errUnread)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.refusals.Go(func() {
			defer w.unread.Add(-size)
			w.Write(line)
		})
	}
}

// endRefusals waits for the refusals that have begun. No other begins.
func (w *wholeWriter) endRefusals() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.refusals.Wait()
}

// Close leaves the writer below open.
func (*wholeWriter) Close() error { return nil }

// A lineReader reads the lines that are messages, and answers the others.
type lineReader struct {
	in    *bufio.Reader
	out   *wholeWriter
	left  []byte        // of a message
	ended chan struct{} // closed at the end of in
}

// Read reads from a message.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, err := r.line()
		select {
		case <-r.out.over:
			err = io.EOF
		default:
		}
		if err != nil {
			close(r.ended)
			return 0, err
		}
		if code, problem := problemOf(line); code != 0 {
			r.out.refuse(idOf(line), code, problem)
		} else if len(line) > 0 {
			r.left = append(line, '\n')
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// line reads a line without the space around. Of one that is too long, it returns enough to tell.
func (r *lineReader) line() (line []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line) <= mostRequest {
			line = append(line, part...)
		}
		if err == nil || err != bufio.ErrBufferFull && len(line) > 0 {
			return bytes.TrimSpace(line), nil
		} else if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
}

// problemOf returns why a line is no message. If it is one, or empty, the code is 0.
func problemOf(line []byte) (code int, problem string) {
	switch m, err := jsonrpc.DecodeMessage(line); {
	case len(line) == 0:
		return 0, ""
	case len(line) > mostRequest:
		return jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message is longer than %d octets", mostRequest)
	case !json.Valid(line): // DecodeMessage does not look at what follows a message
		return jsonrpc.CodeParseError, "a line is no JSON"
	case err != nil:
		return jsonrpc.CodeInvalidRequest, "a line is no message of JSON-RPC 2.0; batches are not served"
	case withoutID(m, line), changesID(m, line):
		return jsonrpc.CodeInvalidRequest, "an ID is a text, or a whole number of up to 53 bits"
	default:
		return 0, ""
	}
}

// withoutID reports whether a line is a call whose ID is null. The SDK would take it for a notification.
func withoutID(m jsonrpc.Message, line []byte) bool {
	req, ok := m.(*jsonrpc.Request)
	return ok && !req.IsCall() && len(rawID(line)) > 0
}

// changesID reports whether the SDK would answer a message with another ID: it reads numbers as float64.
func changesID(m jsonrpc.Message, line []byte) bool {
	if req, ok := m.(*jsonrpc.Request); ok {
		n, whole := req.ID.Raw().(int64)
		return whole && idOf(line) != strconv.FormatInt(n, 10)
	}
	return false
}

// idOf returns the ID of a line, if it has one.
func idOf(line []byte) string {
	if id := rawID(line); len(id) > 0 && (id[0] == '"' || id[0] == '-' || '0' <= id[0] && id[0] <= '9') {
		return string(id)
	}
	return "null"
}

// rawID returns what stands in a line as its ID.
func rawID(line []byte) json.RawMessage {
	var m struct{ ID json.RawMessage }
	if json.Unmarshal(line, &m) != nil {
		return nil
	}
	return m.ID
}

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

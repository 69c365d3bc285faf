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

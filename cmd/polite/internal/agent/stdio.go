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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Serve serves a client that sends messages, one a line, until in or ctx ends. It returns an error
// if no answer can be written. A line that is no message is answered with an error (JSON-RPC 2.0
// §5.1), and the SDK does not see it: it would end.
func Serve(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer) error {
	open, end := context.WithCancelCause(ctx)
	defer end(nil)
	w := &wholeWriter{w: out, failed: end}
	err := server.Run(open, &mcp.IOTransport{Reader: io.NopCloser(&lineReader{in: bufio.NewReader(in), out: w}), Writer: w})
	switch {
	case ctx.Err() != nil:
		return nil
	case open.Err() != nil:
		return context.Cause(open)
	case errors.Is(err, io.EOF):
		return nil
	}
	return err
}

// A wholeWriter writes one thing at a time.
type wholeWriter struct {
	mu     sync.Mutex
	w      io.Writer
	failed func(error)
}

func (w *wholeWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.w.Write(b)
	if err != nil {
		w.failed(err)
	}
	return n, err
}

// Close leaves the writer below open.
func (*wholeWriter) Close() error { return nil }

// A lineReader reads the lines that are messages, and answers the others.
type lineReader struct {
	in   *bufio.Reader
	out  io.Writer
	left []byte // of a message
}

// Read reads from a message.
func (r *lineReader) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		line, err := r.line()
		if code, problem := problemOf(line); err == nil && code != 0 {
			_, err = fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", idOf(line), code, problem)
		} else if len(line) > 0 {
			r.left = append(line, '\n')
		}
		if err != nil {
			return 0, err
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
	case changesID(m, line):
		return jsonrpc.CodeInvalidRequest, "an ID is a text, or a whole number of up to 53 bits"
	default:
		return 0, ""
	}
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
	var m struct{ ID json.RawMessage }
	if json.Unmarshal(line, &m) == nil && len(m.ID) > 0 && (m.ID[0] == '"' || m.ID[0] == '-' || '0' <= m.ID[0] && m.ID[0] <= '9') {
		return string(m.ID)
	}
	return "null"
}

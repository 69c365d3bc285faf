package origintest

import (
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Text answers 200 with a body of plain text.
func Text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }
}

// Status answers with a status, a header of names and values, and a body that
// would disallow everything if it were taken for rules.
func Status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Add(header[i], header[i+1])
		}
		w.WriteHeader(code)
		if code >= 200 && code != http.StatusNoContent && code != http.StatusNotModified {
			io.WriteString(w, "user-agent: *\ndisallow: /\n")
		}
	}
}

// Redirect answers 302 to location.
func Redirect(location string) http.HandlerFunc {
	return Status(http.StatusFound, "Location", location)
}

// Delay answers as next, after d.
func Delay(d time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if Wait(r.Context(), d) {
			next(w, r)
		}
	}
}

// Wait waits for d, and reports whether this was over before ctx ended. It has no timer for a
// d of zero: in a synctest bubble, go 1.26 with -race crashes if two goroutines at once
// receive from timers that are due as they are made.
func Wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// HangAfter sends a header and the beginning of a body, and no more.
func HangAfter(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, body)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
}

// Drip sends body byte by byte, with a pause before each.
func Drip(body string, pause time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := range len(body) {
			if !Wait(r.Context(), pause) {
				return
			}
			io.WriteString(w, body[i:i+1])
			http.NewResponseController(w).Flush()
		}
	}
}

// Reset closes the connection without an answer, with a TCP reset where there
// is TCP.
func Reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2: resets the stream
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

// Cut closes the connection after body, having announced a longer one.
func Cut(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)+1))
		io.WriteString(w, body)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// CutChunked closes the connection after body, without the chunk that ends it.
func CutChunked(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, body)
		http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Raw writes answer to the connection as it is, and closes that.
func Raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer conn.Close()
		io.WriteString(conn, answer)
	}
}

// Gzip answers 200 with a compressed body, asked for or not.
func Gzip(body string) http.HandlerFunc {
	compressed := sync.OnceValue(func() string { return Compressed(body) })
	return func(w http.ResponseWriter, r *http.Request) { Encoded("gzip", compressed())(w, r) }
}

// Compressed returns members in gzip, each by itself.
func Compressed(members ...string) string {
	var b strings.Builder
	for _, member := range members {
		z := gzip.NewWriter(&b)
		io.WriteString(z, member)
		z.Close()
	}
	return b.String()
}

// Encoded answers 200 with body as it is, and calls it encoding.
func Encoded(encoding, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		io.WriteString(w, body)
	}
}

// Endless answers 200 with head, and then line for ever.
func Endless(head, line string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, err := io.WriteString(w, head)
		for lines := strings.Repeat(line, 1000); err == nil && r.Context().Err() == nil; {
			_, err = io.WriteString(w, lines)
		}
	}
}

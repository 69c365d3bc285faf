package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A curl sends one request by the program of this name.
type curl struct{ body []byte }

const (
	mostBody   = 16 << 20
	mostHeader = 1 << 20

	timedOut = 28 // what curl exits with after a timeout
)

// send sends req, reads the body, and returns the status and the header.
func (c *curl) send(req *http.Request) (*http.Response, error) {
	dir, err := os.MkdirTemp("", "curl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	dump := filepath.Join(dir, "header")
	var stderr strings.Builder
	command := exec.CommandContext(req.Context(), "curl", arguments(req, dump)...)
	command.Stderr = &stderr
	if c.body, err = command.Output(); err != nil {
		return nil, failure(req.Context(), err, stderr.String())
	}
	header, err := os.Open(dump)
	if err != nil {
		return nil, err
	}
	defer header.Close()
	resp, err := parse(io.LimitReader(header, mostHeader))
	if err == nil {
		resp.Request = req // Location of a redirect is relative to it
	}
	return resp, err
}

// arguments are those with which curl sends req as it is, whatever stands in the user's .curlrc.
func arguments(req *http.Request, dump string) []string {
	args := []string{
		"--disable", "--silent", "--show-error", "--globoff",
		"--path-as-is", // what is sent is what was judged
		"--max-time", "60", "--max-filesize", strconv.Itoa(mostBody), "--proto", "=http,https",
		"--suppress-connect-headers", "--dump-header", dump, "--request", req.Method,
	}
	if req.Host != "" && req.Host != req.URL.Host {
		args = append(args, "--header", "Host: "+req.Host)
	}
	for name, values := range req.Header {
		for _, value := range values {
			args = append(args, "--header", name+": "+value)
		}
	}
	return append(args, "--url", req.URL.String())
}

// failure says why curl has no answer. A timeout is one, so that polite learns that the site is
// slow.
func failure(ctx context.Context, err error, stderr string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if ok && exit.ExitCode() == timedOut {
		err = os.ErrDeadlineExceeded
	}
	return fmt.Errorf("%s: %w", strings.TrimSpace(stderr), err)
}

// parse reads what curl dumps: the header of the answer, after those of interim ones.
func parse(dump io.Reader) (*http.Response, error) {
	r := textproto.NewReader(bufio.NewReader(dump))
	for {
		line, err := r.ReadLine()
		if err != nil {
			return nil, fmt.Errorf("curl has dumped no status: %w", err)
		}
		_, status, _ := strings.Cut(line, " ")
		status = strings.TrimSpace(status) // HTTP/2 has no text
		code, _, _ := strings.Cut(status, " ")
		number, err := strconv.Atoi(code)
		if err != nil {
			return nil, fmt.Errorf("curl has dumped a status that is no number: %q", line)
		}
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return nil, fmt.Errorf("curl has dumped a header that cannot be read: %w", err)
		}
		if number/100 != 1 {
			return &http.Response{Status: status, StatusCode: number, Header: http.Header(header)}, nil
		}
	}
}

// Command command fetches pages with curl, as a polite crawler: Transport.Do runs curl for a
// request when its turn has come, and learns from the status and the header that curl prints.
//
//	go run ./examples/command https://example.com/a https://example.com/b
//
// It prints the pages. curl follows no redirect by itself, so that each hop is judged.
//
// The gap counts from the start of curl, which then has to connect: requests can arrive somewhat
// closer together.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/textproto"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"

	"github.com/go-polite/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: command URL...")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := &polite.Transport{UserAgent: userAgent}
	for _, url := range os.Args[1:] {
		if err := fetch(ctx, transport, url, os.Stdout); err != nil {
			log.Print(err)
		}
	}
}

// mostHops is how many redirects of a page are followed.
const mostHops = 10

// fetch writes the page at url to w.
func fetch(ctx context.Context, transport *polite.Transport, url string, w io.Writer) error {
	for range mostHops + 1 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		resp, err := transport.Do(req, send)
		if err != nil {
			return err
		}
		next, err := resp.Location()
		switch {
		case err == nil && resp.StatusCode/100 == 3:
			url = next.String()
		case resp.StatusCode != http.StatusOK:
			return fmt.Errorf("%s: %s", url, resp.Status)
		default:
			_, err := io.Copy(w, resp.Body)
			return err
		}
	}
	return fmt.Errorf("%s: too many redirects", url)
}

// send sends req by curl. The body of the response is in memory.
func send(req *http.Request) (*http.Response, error) {
	var stderr strings.Builder
	command := exec.CommandContext(req.Context(), "curl", arguments(req)...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, failure(req.Context(), err, stderr.String())
	}
	resp, err := parse(out)
	if err == nil {
		resp.Request = req // Location of a redirect is relative to it
	}
	return resp, err
}

// arguments are those with which curl sends req as it is, whatever stands in the user's .curlrc.
func arguments(req *http.Request) []string {
	args := []string{
		"--disable", "--silent", "--show-error", "--globoff",
		"--path-as-is", // what is sent is what was judged
		"--max-time", "60", "--max-filesize", "16M", "--proto", "=http,https",
		"--suppress-connect-headers", "--include", "--request", req.Method,
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

// timedOut is what curl exits with after a timeout.
const timedOut = 28

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

// parse reads what curl prints: the header of the answer, after those of interim ones, and the body.
func parse(printed []byte) (*http.Response, error) {
	in := bufio.NewReader(bytes.NewReader(printed))
	r := textproto.NewReader(in)
	for {
		line, err := r.ReadLine()
		if err != nil {
			return nil, fmt.Errorf("curl has printed no status: %w", err)
		}
		_, status, _ := strings.Cut(line, " ")
		status = strings.TrimSpace(status) // HTTP/2 has no text
		code, _, _ := strings.Cut(status, " ")
		number, err := strconv.Atoi(code)
		if err != nil {
			return nil, fmt.Errorf("curl has printed a status that is no number: %q", line)
		}
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return nil, fmt.Errorf("curl has printed a header that cannot be read: %w", err)
		}
		if number/100 != 1 {
			return &http.Response{Status: status, StatusCode: number, Header: http.Header(header), Body: io.NopCloser(in)}, nil
		}
	}
}

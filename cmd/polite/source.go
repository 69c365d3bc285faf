package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
)

// A source is the text of a robots.txt and the name of where it is from.
type source struct {
	name string
	body []byte
	url  *url.URL // nil if it is not known
}

// readSource reads a file, standard input for "-", or the robots.txt of the site
// of a URL.
func readSource(ctx context.Context, arg string, std stdio) (source, error) {
	if isSite(arg) {
		return readSite(ctx, arg, http.DefaultTransport)
	}
	return readFile(ctx, arg, std)
}

// isSite reports whether arg is a URL, or was to be one, and no file.
func isSite(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.Contains(arg, "://") || strings.HasPrefix(lower, "https:/") || strings.HasPrefix(lower, "http:/")
}

// sourceMakesSense returns what there is against a source before it is read.
func sourceMakesSense(ctx context.Context, arg string) error {
	if !isSite(arg) {
		return nil
	}
	u, err := parseURL(arg)
	if err != nil {
		return err
	}
	return makesSense(ctx, selfJudge(http.DefaultTransport).crawlers[0].transport, u)
}

// selfJudge returns a judge for this command.
func selfJudge(base http.RoundTripper) *judge {
	tokens, _ := parseAgent(userAgent())
	j := judgeFor([][]string{tokens}, base)
	j.explain()
	return j
}

// readFile reads what counts of a file, or of standard input for "-".
func readFile(ctx context.Context, name string, std stdio) (source, error) {
	if name == "-" {
		stdin := std.input(ctx)
		defer stdin.Close()
		s, err := readCounted("stdin", stdin)
		return s, cmp.Or(context.Cause(ctx), err)
	}
	return await(ctx, func() (source, error) { return openFile(name) })
}

// await returns what do does, or why ctx ended: a pipe may never be written to.
func await(ctx context.Context, do func() (source, error)) (source, error) {
	var s source
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		s, err = do()
	}()
	select {
	case <-done:
		return s, err
	case <-ctx.Done():
		return source{}, context.Cause(ctx)
	}
}

func openFile(name string) (source, error) {
	file, err := os.Open(name)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = shown(name)
	}
	if errors.Is(err, fs.ErrNotExist) && strings.Contains(name, ".") {
		err = fmt.Errorf("%w (for the robots.txt of a site, write its URL, as in https://example.com/)", err)
	}
	if err != nil {
		return source{}, unreadable{err}
	}
	defer file.Close()
	return readCounted(name, file)
}

// readCounted reads what counts of a robots.txt and one byte more, so that it can
// be told from one that ends there.
func readCounted(name string, r io.Reader) (source, error) {
	body, err := io.ReadAll(io.LimitReader(r, robots.MaxSize+1))
	if err != nil {
		return source{}, unreadable{err}
	}
	return source{name: name, body: body}, nil
}

// readSite asks the site of a URL for its robots.txt, as it is asked before a
// page is fetched.
func readSite(ctx context.Context, arg string, base http.RoundTripper) (source, error) {
	u, err := parseURL(arg)
	if err != nil {
		return source{}, err
	}
	j := selfJudge(base)
	d, err := j.crawlers[0].transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return source{}, cmp.Or(context.Cause(ctx), err)
	}
	if d.Reason != polite.ByRule && d.Reason != polite.NoRule {
		return source{}, unreadable{fmt.Errorf("%s %s", d.RobotsURL, answer(d))}
	}
	text := j.textOf(d)
	if text == nil {
		return source{}, unreadable{fmt.Errorf("%s was read, but its text is not at hand", d.RobotsURL)}
	}
	at, err := url.Parse(d.RobotsURL)
	return source{d.RobotsURL, text.body, at}, err
}

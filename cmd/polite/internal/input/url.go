// Package input reads what a verb is given: URLs, files, and the robots.txt of sites.
package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/sites"
)

// URL returns the URL that an argument is. If it is none, the error says what to
// write.
func URL(arg string) (*url.URL, error) {
	if !strings.Contains(arg, "://") {
		return nil, fmt.Errorf("%q is no URL: write it with its scheme, as in %s", verb.Shown(arg), urlLike(verb.Shown(arg)))
	}
	u, err := origin.Parse(arg)
	if err != nil {
		return nil, noURL(arg, "URL", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q cannot be fetched: write a URL that begins with https:// or http://", verb.Shown(arg))
	}
	return u, nil
}

// Path returns a URL with the path that an argument is, of no site in particular.
func Path(arg string) (*url.URL, error) {
	if !strings.HasPrefix(arg, "/") {
		return nil, fmt.Errorf("%q is neither a URL nor a path: write it as in https://example.com/page or /page", verb.Shown(arg))
	}
	u, err := origin.Parse("https://localhost" + arg)
	if err != nil {
		return nil, noURL(arg, "path of a URL", err)
	}
	return u, nil
}

// noURL returns the error for an argument that cannot be parsed. It leaves out err,
// which may quote any part of the argument, if there is a password.
func noURL(arg, what string, err error) error {
	if verb.Shown(arg) != arg {
		return fmt.Errorf("%q is no %s", verb.Shown(arg), what)
	}
	return fmt.Errorf("%q is no %s: %w", arg, what, fetch.Plain(err))
}

// urlLike returns the URL that an argument was meant to be, or an example if it names
// no host.
func urlLike(arg string) string {
	for _, scheme := range []string{"https:/", "http:/"} {
		if rest, ok := strings.CutPrefix(arg, scheme); ok {
			return scheme + "/" + rest
		}
	}
	u, err := url.Parse("https://" + arg)
	if err != nil || !strings.ContainsAny(u.Host, ".:") {
		return "https://example.com/"
	}
	return WithScheme(arg)
}

// WithScheme returns the URL that is meant by the name of a site without its scheme: https,
// or http on this machine, where few have a certificate. It returns all else as it is.
func WithScheme(arg string) string {
	if arg == "" || strings.Contains(arg, "://") {
		return arg
	}
	if u, err := url.Parse("http://" + arg); err == nil && (verb.IsLoopback(u.Hostname()) || strings.HasSuffix(u.Hostname(), ".localhost")) {
		return "http://" + arg
	}
	return "https://" + arg
}

// IsURL reports whether an argument is a URL, or was meant to be, and not a file.
func IsURL(arg string) bool {
	lower := strings.ToLower(arg)
	return strings.Contains(arg, "://") || strings.HasPrefix(lower, "https:/") || strings.HasPrefix(lower, "http:/")
}

// Vet returns the error of a transport that cannot fetch u. It asks for nothing: the
// transport needs no rules to decide on a robots.txt.
func Vet(ctx context.Context, transport *polite.Transport, u *url.URL) error {
	_, err := transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"})
	return err
}

// VetAgent returns the error of a User-Agent, with these product tokens, in whose name nobody can ask.
func VetAgent(userAgent string, tokens ...string) error {
	anywhere := &url.URL{Scheme: "https", Host: "example.com"}
	return Vet(context.Background(), &polite.Transport{UserAgent: userAgent, Agents: tokens}, anywhere)
}

// Question returns the question that an argument or a line of a list is. If there is a file
// to go by, it may be a path of no site in particular.
func Question(arg string, byFile bool) judge.Question {
	if !byFile || !strings.HasPrefix(arg, "/") && strings.Contains(arg, "://") {
		u, err := URL(arg)
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	u, err := Path(arg)
	if err != nil || strings.HasPrefix(arg, "//") { // it may be a URL without its scheme
		return judge.Question{Name: verb.Shown(arg), URL: u, Err: err}
	}
	return judge.Question{Name: arg, URL: u}
}

// NotList returns err, the error of an argument that is no URL. If the argument is a file,
// it says how to name it instead, with "%s" for the file.
func NotList(arg string, err error, instead string) error {
	if info, statErr := os.Stat(arg); statErr != nil || info.IsDir() {
		return err
	}
	return fmt.Errorf("%q is a file: "+instead, verb.Shown(arg), verb.Shown(arg))
}

// Sites reads the file of --sites, and returns what is different for the site of a
// request. It returns nil if the name is "". The error is that of a misuse of a verb.
func Sites(ctx context.Context, verbName, name string) (func(*http.Request) *polite.Options, error) {
	if name == "" {
		return nil, nil
	}
	table, err := await(ctx, func() (*sites.Table, error) { return sites.ReadFile(name) })
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, verb.Misused(verbName, fmt.Errorf("--sites: %w", firstOf(name, err)))
	}
	return table.Site, nil
}

// firstOf returns the first problem of a file, and how many others there are.
func firstOf(name string, err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Path = verb.Shown(name)
	}
	first, rest, more := strings.Cut(err.Error(), "\n")
	if !more {
		return err
	}
	n := strings.Count(rest, "\n") + 1
	return fmt.Errorf("%s (more lines are wrong: %d)", first, n)
}

package redisfleet

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/go-polite/polite/store"
	"github.com/redis/rueidis"
)

var (
	errClosed  = fmt.Errorf("redisfleet: %w", store.ErrClosed)
	errZero    = errors.New("redisfleet: this Fleet has no server: open one with Open or New")
	errChanged = fault("lost", errors.New("redisfleet: the connection was lost, or the server has lost data"))
	errSilent  = fault("silent", errors.New("redisfleet: the server tells no news any more"))
	errMissed  = fault("missed", errors.New("redisfleet: news of the server were lost"))
)

// A faultError is one that has a word of its own in metrics.
type faultError struct {
	word string
	err  error
}

func fault(word string, err error) error { return &faultError{word, err} }

func (e *faultError) Error() string { return e.err.Error() }
func (e *faultError) Unwrap() error { return e.err }

// ErrorType returns the word for metrics. There are as many as there is advice, and a few more.
func (e *faultError) ErrorType() string { return e.word }

// advice says what to do about an error, by how the server begins it, and its word in metrics.
var advice = []struct{ begins, word, do string }{
	{"NOAUTH", "password", "the server wants a password: put it into the URL"},
	{"WRONGPASS", "password", "the server does not take this user and password"},
	{"NOPERM", "rights", "the user lacks a right: see the package documentation for those it needs"},
	{"The user executing the script", "rights", "the user lacks a right: see the package documentation for those it needs"},
	{"READONLY", "replica", "the server is a replica: connect to the primary, or to the sentinels with master_set"},
	{"OOM", "memory", "the server is out of memory: raise its maxmemory"},
	{"LOADING", "loading", "the server is reading its data from disk: try again soon"},
	{"BUSY", "busy", "a script of another client keeps the server busy: try again soon"},
	{"CLUSTERDOWN", "cluster", "the cluster is down: see CLUSTER INFO"},
	{"TRYAGAIN", "cluster", "the cluster is moving keys: try again soon"},
	{"No such master", "primary", "the sentinels do not know this master_set"},
	{"MASTERDOWN", "primary", "the primary is down"},
	{"MISCONF", "disk", "the server cannot write to its disk, and so takes no writes"},
	{"NOREPLICAS", "replicas", "the server has fewer replicas than its min-replicas-to-write"},
}

// doAbout returns what to do about an error that begins so.
func doAbout(begins string) error {
	for _, a := range advice {
		if a.begins == begins {
			return errors.New(a.do)
		}
	}
	return nil
}

// A credentialsError is one of Options.Credentials.
type credentialsError struct{ err error }

func (e *credentialsError) Error() string { return e.err.Error() }
func (e *credentialsError) Unwrap() error { return e.err }

// explain says what failed, and what to do about it.
func explain(what string, err error) error {
	if _, ok := errors.AsType[*credentialsError](err); ok {
		return fmt.Errorf("redisfleet: %s: Options.Credentials has failed: %w", what, err)
	}
	if who, ok := errors.AsType[*strangerError](err); ok {
		return fmt.Errorf("redisfleet: %s: the server could not be reached, since %s: %w", what, who.does, err)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("redisfleet: %s: the server has not answered: %w", what, err)
	case errors.Is(err, rueidis.ErrClosing):
		return fmt.Errorf("%w: %w", errClosed, err)
	}
	if _, ok := errors.AsType[*rueidis.RedisError](err); !ok {
		return fmt.Errorf("redisfleet: %s: the server could not be reached%s: %w", what, hint(what, err), err)
	}
	for _, a := range advice {
		if said(err, a.begins) {
			return fault(a.word, fmt.Errorf("redisfleet: %s: %s: %w", what, a.do, err))
		}
	}
	return fmt.Errorf("redisfleet: %s: %w", what, err)
}

// hint says what to do if a server could not be reached, perhaps because of TLS.
func hint(what string, err error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ", since this machine does not know who signed its certificate: set RootCAs in Options.TLS"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return ", since its certificate is for another host: use that one in the URL, or set ServerName in Options.TLS"
	}
	switch {
	case strings.Contains(err.Error(), "certificate required"):
		return ", since it wants a certificate of its clients: set Options.TLS"
	case what == "connect" && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)):
		return ", since it ended the connection: begin the URL with rediss:// if it speaks TLS, or else with redis://; if it wants a certificate of its clients, set Options.TLS"
	}
	return ""
}

// said reports whether err is a reply that begins so. A script may have put words before.
func said(err error, begins string) bool {
	reply, ok := errors.AsType[*rueidis.RedisError](err)
	if !ok {
		return false
	}
	text := strings.TrimPrefix(reply.Error(), "ERR ")
	return strings.HasPrefix(text, begins+" ") || strings.HasPrefix(text, "-"+begins+" ") || text == begins
}

// away reports whether err says that the server could not be had, and not that it
// refused.
func away(err error) bool {
	if _, ok := errors.AsType[*rueidis.RedisError](err); !ok {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, rueidis.ErrClosing)
	}
	for _, begins := range []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "BUSY"} {
		if said(err, begins) {
			return true
		}
	}
	return false
}

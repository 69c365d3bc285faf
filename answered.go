package polite

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/pace"
)

// answered learns from the response to a request. It reports whether the turn of the
// request lasts until the body is done.
func (l *line) answered(req *http.Request, to *site, turn *pace.Turn, resp *http.Response, err error) (lasts bool) {
	l.told.overdue(req, turn.Overdue())
	if err != nil || resp == nil {
		turn.Answered(failed(err))
		return false
	}
	answer := pace.Good
	if overloaded(resp.StatusCode) {
		answer = l.learn(to, resp.StatusCode, fetch.RetryAfter(resp.Header))
	}
	turn.Answered(answer)
	return (turn.Limited() || turn.Spaced()) && hold(req.Context(), resp, turn)
}

// learn puts off the next turn if an answer asks for it. It returns what the answer
// says of the server.
func (l *line) learn(to *site, status int, retryAfter time.Duration) pace.Answer {
	switch {
	case status == 0:
		return pace.None
	case !overloaded(status):
		return pace.Good
	}
	if wait := to.pace.retryAfter(retryAfter); wait > 0 {
		until := time.Now().Add(wait)
		tell := l.cache.shared.hold(to.lane(), until, l.told)
		if l.cache.memory.trim(); tell {
			l.log.waits(context.Background(), to.origin, until)
		}
		l.told.held(Break{Origin: to.origin.String(), Status: status, Until: until})
	}
	return pace.Bad
}

// overdue counts a request that was written too late for its turn. Base may hold locks.
func (l *line) overdue() { l.cache.stats.overdue.Add(1) }

// failed returns what an error says of the server. A timeout says that it has too much
// to do.
func failed(err error) pace.Answer {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return pace.Bad
	}
	return pace.None
}

// hold lets a turn last until the response is done or ctx has ended. It reports whether
// the turn lasts beyond this call.
func hold(ctx context.Context, resp *http.Response, turn *pace.Turn) bool {
	if resp.Body == nil || resp.Body == http.NoBody {
		return false
	}
	stop := context.AfterFunc(ctx, turn.Done)
	done := func() {
		stop()
		turn.Done()
	}
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = pace.UntilClosed(conn, done)
	} else {
		resp.Body = pace.Until(resp.Body, done)
	}
	return true
}

package turns

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

// Answered learns from the response to a request. It reports whether the turn of the
// request lasts until the body is done.
func (t *Taker) Answered(req *http.Request, to *Site, turn *pace.Turn, resp *http.Response, err error) (lasts bool) {
	if err != nil || resp == nil {
		turn.Answered(failed(err))
		return false
	}
	answer := pace.Good
	if Overloaded(resp.StatusCode) {
		answer = t.Learn(to, resp.StatusCode, fetch.RetryAfter(resp.Header))
	}
	turn.Answered(answer)
	return turn.Lasts() && untilDone(turn.Context(req.Context()), resp, turn)
}

// Learn begins a break if an answer asks for one. It returns what the answer says of the
// server. A status of 0 says nothing.
func (t *Taker) Learn(to *Site, status int, retryAfter time.Duration) pace.Answer {
	switch {
	case status == 0:
		return pace.None
	case !Overloaded(status):
		return pace.Good
	}
	if wait := to.Pace.RetryAfter(retryAfter); wait > 0 {
		until := time.Now().Add(wait)
		tell := t.Lanes.beginBreak(to.Lane, until, t.Hooks.Called)
		if t.Memory.Trim(); tell {
			t.Hooks.Long(context.Background(), to.Origin, until)
		}
		t.Hooks.Break(to.Origin, status, until)
	}
	return pace.Bad
}

// failed returns what an error says of the server. A timeout says that it has too much
// to do.
func failed(err error) pace.Answer {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return pace.Bad
	}
	return pace.None
}

// untilDone lets a turn last until the response is done or ctx has ended. It reports
// whether the turn lasts beyond this call.
func untilDone(ctx context.Context, resp *http.Response, turn *pace.Turn) bool {
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

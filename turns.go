package polite

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/pace"
)

// rule returns how a request judged by v takes its turn, or the error if it is to
// be refused, because the site asks for too long a delay.
func (t *Transport) rule(req *http.Request, to *site, v *verdict) (pace.Rule, error) {
	rule := t.turns
	delay, ok := v.rules.CrawlDelay()
	if !ok {
		return rule, nil
	}
	gap, refuse := t.Pace.siteDelay(delay)
	rule.Gap = max(rule.Gap, gap)
	if !refuse {
		return rule, nil
	}
	d := t.decision(req, to, v)
	wait := time.Until(d.Turn)
	return rule, t.refuse(req, &DelayError{d, wait, fmt.Sprintf("the site asks for a delay of %v, until its robots.txt is asked for again", delay)})
}

// takeTurn waits for the turn of a request judged by v.
func (t *Transport) takeTurn(ctx context.Context, req *http.Request, to *site, target string, v *verdict) (*pace.Turn, error) {
	rule, err := t.rule(req, to, v)
	if err != nil {
		return nil, err
	}
	if turn, ok := t.cache.lanes.Begin(to.lane, rule); ok {
		return turn, nil
	}
	place, err := t.cache.lanes.Join(ctx, to.lane, rule)
	if err != nil {
		return nil, t.late(req, to, v, err)
	}
	defer place.Leave()
	t.tellWait(req, to, place)
	for {
		ready, err := place.Wait(ctx, v.gone(), v.look(t.cache))
		if err != nil {
			return nil, t.late(req, to, v, err)
		}
		if !ready || !v.current(t.cache, to) {
			if rule, err = t.judgeAgain(ctx, req, to, target, v, ready); err != nil {
				return nil, err
			}
			place.Update(rule)
		} else if turn, ok := place.Start(); ok {
			return turn, nil
		}
	}
}

// judgeAgain judges a request that has waited by what is known now, and returns how
// it takes its turn then. What is known must be up to date once the turn has come.
func (t *Transport) judgeAgain(ctx context.Context, req *http.Request, to *site, target string, v *verdict, come bool) (pace.Rule, error) {
	e, err := t.known(ctx, to, come)
	if err != nil {
		return pace.Rule{}, err
	}
	if e.file == nil || e.file != v.entry.file {
		*v = verdict{}
		if err := t.permit(req, to, target, e, v); err != nil {
			return pace.Rule{}, err
		}
	}
	v.entry = e
	return t.rule(req, to, v)
}

// late returns the refusal if err is that a turn comes too late, else err.
func (t *Transport) late(req *http.Request, to *site, v *verdict, err error) error {
	late, ok := errors.AsType[*pace.LateError](err)
	if !ok {
		return err
	}
	d := t.decision(req, to, v)
	d.Turn = late.Turn
	return t.refuse(req, &DelayError{d, time.Until(late.Turn), late.Why})
}

// longWait is how long a wait is that the Logger is told of.
const longWait = time.Minute

// tellWait tells the Logger if a long wait begins: once for all who wait there.
func (t *Transport) tellWait(req *http.Request, to *site, place *pace.Place) {
	if t.Logger == nil {
		return
	}
	if turn, long := place.Long(longWait); long {
		t.Logger.WarnContext(req.Context(), "requests wait long for their turn", "origin", to.origin.String(), "until", turn)
	}
}

// send sends a request whose turn has come, and learns from the answer.
func (t *Transport) send(req *http.Request, to *site, turn *pace.Turn) (resp *http.Response, err error) {
	kept := false
	defer func() {
		if !kept {
			turn.Done() // also if Base panics
		}
	}()
	if to.why != NotHTTP {
		req = t.identified(req)
	}
	out := t.accompanied(req, turn)
	resp, err = t.sender.RoundTrip(out)
	t.proven.Store(true)
	if resp != nil && resp.Request == out {
		resp.Request = req
	}
	if to.exempt {
		return resp, err
	}
	if err != nil || resp == nil {
		turn.Answered(failed(err))
		return resp, err
	}
	turn.Answered(t.learn(to.lane, resp.StatusCode, fetch.RetryAfter(resp.Header)))
	if turn.Limited() {
		kept = hold(req.Context(), resp, turn)
	}
	return resp, err
}

// accompanied returns req with what its context has to carry.
func (t *Transport) accompanied(req *http.Request, turn *pace.Turn) *http.Request {
	if turn.Spaced() {
		req = req.WithContext(spaced(req.Context(), turn))
	}
	if !t.proven.Load() {
		req = req.WithContext(context.WithValue(req.Context(), through{t}, true))
	}
	return req
}

// spaced returns a context that makes net/http wait at the second gate of turn
// when it has a connection.
func spaced(ctx context.Context, turn *pace.Turn) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		if turn.Connected(ctx) != nil && !isShared(info) {
			info.Conn.Close() // else net/http would write the request all the same
		}
	}})
}

// isShared reports whether a connection serves other requests too, as HTTP/2 has
// it. There net/http looks at the context before it writes.
func isShared(info httptrace.GotConnInfo) bool {
	secure, ok := info.Conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2" || info.Reused && !info.WasIdle
}

// hold lets a turn last until the response is done or ctx has ended, and reports
// whether it is not yet.
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

// learn puts off the next turn in a lane if an answer asks for that, and returns
// what it says of the server.
func (t *Transport) learn(lane lane, status int, retryAfter time.Duration) pace.Answer {
	switch {
	case status == 0:
		return pace.None
	case !overloaded(status):
		return pace.Good
	}
	if wait := t.Pace.retryAfter(retryAfter); wait > 0 {
		t.cache.lanes.Hold(lane, time.Now().Add(wait))
	}
	return pace.Bad
}

// failed returns what an error says of the server: with a timeout, that it has too
// much to do.
func failed(err error) pace.Answer {
	if timeout, ok := errors.AsType[net.Error](err); ok && timeout.Timeout() {
		return pace.Bad
	}
	return pace.None
}

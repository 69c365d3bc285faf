package turns

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/status"
)

// Answered learns from the response to a request. It reports whether the turn of the
// request lasts until the body is done.
func (t *Taker) Answered(req *http.Request, to *Site, admission lane.Admission, resp *http.Response, err error) (lasts bool) {
	ticket := admission.Ticket
	answer, open := answerOf(req, to, ticket, resp, err)
	t.tellBlock(req, answer.Kind, statusOf(resp))
	var o lane.Outcome
	switch {
	case ticket != nil:
		answer.Section, answer.Target = hashes(req.URL)
		t.answeredAbove(req.Context(), to, &answer, ticket.AnsweredAbove)
		o = ticket.Answered(answer)
	case answer.Says():
		answer.Section, answer.Target = hashes(req.URL)
		o = t.Lanes.Answered(to.Lane, to.Pace.Terms, answer)
	case answer.Kind == limit.Good && to.Pace.FindsLimit():
		admission.Well(sectionOf(req.URL))
	}
	if answer.Answered {
		admission.Closes(resp.Close)
	}
	t.follow(req.Context(), to, o, statusOf(resp))
	lasts = resp != nil && err == nil && ticket.Lasts()
	if open && isPage(resp) {
		t.look(req, to, ticket, resp, lasts)
		return lasts
	}
	return lasts && untilDone(ticket.Context(req.Context()), resp, ticket)
}

// tellBlock tells of an answer that looks like a block, from the first on.
func (t *Taker) tellBlock(req *http.Request, kind limit.Kind, status int) {
	if kind == limit.Barred || kind == limit.Challenged {
		t.Hooks.Block(req, status, kind)
	}
}

// follow tells what follows from an answer. status is 0 if there was no response.
func (t *Taker) follow(ctx context.Context, to *Site, o lane.Outcome, status int) {
	switch {
	case !o.Until.IsZero():
		t.tellBreak(ctx, to, o, status)
	case o.Tells:
		t.Lanes.Teach(ctx, to.Lane, o, t.Hooks.Called)
	}
	if o.Tells {
		t.Hooks.Limit(to.Origin, o.Limit, false)
	}
}

// answeredAbove learns from an answer what the Group bears, before its own site does. tell tells the
// ticket above.
func (t *Taker) answeredAbove(ctx context.Context, to *Site, answer *lane.Answer, tell func(lane.Answer) lane.Outcome) {
	if to.Group == nil {
		return
	}
	answer.Site = hash(fnvOffset, to.Lane.Name()) | 1
	o := tell(*answer)
	if answer.Counted, answer.Taken = o.Counted, o.Taken; o.Tells {
		t.Lanes.Teach(ctx, to.Group.Lane, o, t.Hooks.Called)
		t.Hooks.Limit(to.Origin, o.Limit, true)
	}
}

// answerOf returns what an answer says. It reports whether the body may yet say that it is bad: not if
// nobody looks for a limit, or if the user has judged it.
func answerOf(req *http.Request, to *Site, ticket *lane.Ticket, resp *http.Response, err error) (answer lane.Answer, open bool) {
	answer = lane.Answer{Kind: status.LoadOf(req.Context(), resp, err), Answered: err == nil && resp != nil}
	open = answer.Answered && answer.Kind <= limit.Good && to.Pace.FindsLimit()
	if judge := to.Pace.Judge; judge != nil && (resp != nil || ticket.Failure() == nil) { // else it is no answer
		if kind, judged := judge(req, resp, err); judged {
			answer.Kind, open = kind, false
		}
	}
	if !answer.Answered {
		return answer, false
	}
	if !quota.Asks(resp.StatusCode, resp.Header) {
		return answer, open // without a look at the clock
	}
	ask := quota.Read(resp.StatusCode, resp.Header, time.Now())
	answer.QuotaGap, answer.QuotaLeft = ask.Gap, ask.Left
	// A quota that is used up is no Retry-After to a caller that looks for no limit.
	if wait := to.Pace.RetryAfter(ask.Break); status.Of(resp.StatusCode).Refuses && (ask.Why == quota.Asked || to.Pace.FindsLimit()) {
		answer.RetryAfter = wait
	} else {
		answer.QuotaBreak = wait
	}
	return answer, open
}

// hashes returns a number for the section of u, and one for all that is asked for.
func hashes(u *url.URL) (section uint8, target uint32) {
	return sectionOf(u), hash(hash(fnvOffset, u.EscapedPath()), u.RawQuery) | 1
}

// sectionOf returns a number for the first segment of the path of u. All pages at the root are of one
// section; what has a query there is a program, and has its own.
func sectionOf(u *url.URL) uint8 {
	first, _, deeper := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	if !deeper && u.RawQuery == "" {
		first = ""
	}
	return uint8(hash(fnvOffset, first) % 64)
}

func statusOf(resp *http.Response) int {
	if resp == nil {
		return 0
	}
	return resp.StatusCode
}

// tellBreak tells of a break that an answer has begun. status is 0 if there was no response.
func (t *Taker) tellBreak(ctx context.Context, to *Site, o lane.Outcome, status int) {
	t.Lanes.Break(ctx, to.Lane, o, t.Hooks.Called)
	t.Memory.Trim()
	t.Hooks.Break(to.Origin, status, o.Until)
}

// Learn begins a break if the answer to a request for robots.txt asks for one.
func (t *Taker) Learn(to *Site, code int, retryAfter time.Duration) {
	if wait := to.Pace.RetryAfter(retryAfter); wait > 0 && status.Of(code).Refuses {
		t.tellBreak(context.Background(), to, lane.Outcome{Until: time.Now().Add(wait)}, code)
	}
}

// untilDone lets a turn last until the response is done or ctx has ended. It reports
// whether the turn lasts beyond this call.
func untilDone(ctx context.Context, resp *http.Response, ticket *lane.Ticket) bool {
	if resp.Body == nil || resp.Body == http.NoBody {
		return false
	}
	done := ending(ctx, ticket)
	if conn, ok := resp.Body.(io.ReadWriteCloser); ok && resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body = send.UntilClosed(conn, done)
	} else {
		resp.Body = &send.Body{ReadCloser: resp.Body, Done: done}
	}
	return true
}

// ending returns what ends a turn, once the body is done. The end of ctx does, too.
func ending(ctx context.Context, ticket *lane.Ticket) (done func()) {
	stop := context.AfterFunc(ctx, ticket.Done)
	return func() {
		stop()
		ticket.Done()
	}
}

// fnvOffset begins the hash of a text.
const fnvOffset = 2166136261

// hash is FNV-1a.
func hash(h uint32, text string) uint32 {
	for i := range len(text) {
		h = (h ^ uint32(text[i])) * 16777619
	}
	return h
}

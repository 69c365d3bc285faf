package turns

import (
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/status"
)

// A page is the body of a web page. It is looked at while the caller reads it: a wall may have answered in
// place of the site, without a word of it in the header. Nothing is read ahead, and nothing is held back.
type page struct {
	send.Body
	over atomic.Bool // there is nothing more to look at

	mu   sync.Mutex // several goroutines may read
	seen status.Look

	taker  *Taker
	req    *http.Request
	site   Site
	ticket *lane.Ticket
	status int
}

// look lets the body of resp, which is a web page, be looked at. If lasts, the turn of the request lasts
// until the body is done.
func (t *Taker) look(req *http.Request, to *Site, ticket *lane.Ticket, resp *http.Response, lasts bool) {
	p := &page{Body: send.Body{ReadCloser: resp.Body}, taker: t, req: req, site: *to, ticket: ticket, status: resp.StatusCode}
	if lasts {
		p.Done = ending(ticket.Context(req.Context()), ticket)
	}
	resp.Body = p
}

// isPage reports whether an answer brings a web page that can be looked at: not if the caller has asked for
// it in a coding.
func isPage(resp *http.Response) bool {
	return resp.Body != nil && resp.Body != http.NoBody && resp.StatusCode != http.StatusSwitchingProtocols &&
		status.IsHTML(resp.Header) && len(resp.Header["Content-Encoding"]) == 0
}

func (p *page) Read(b []byte) (n int, err error) {
	n, err = p.ReadCloser.Read(b)
	if n > 0 && !p.over.Load() && p.finds(b[:min(n, len(b))]) {
		p.challenged()
	}
	p.HasRead(err)
	return n, err
}

// finds reports whether what was read completes the mark of a wall, once.
func (p *page) finds(read []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.seen.Finds(read)
	p.over.Store(p.seen.Over())
	return found
}

// challenged learns that the answer is a challenge. Answered has taken it for one of the site.
func (p *page) challenged() {
	t, to, ctx := p.taker, &p.site, p.req.Context()
	answer := lane.Answer{Kind: limit.Challenged, Answered: true}
	answer.Section, answer.Target = hashes(p.req.URL)
	t.tellBlock(p.req, answer.Kind, p.status)
	if p.ticket == nil {
		t.follow(ctx, to, t.Lanes.Answered(to.Lane, to.Pace.Terms, answer), p.status)
		return
	}
	t.answeredAbove(ctx, to, &answer, func(above lane.Answer) lane.Outcome {
		return t.Lanes.CorrectAbove(to.Group.Lane, p.ticket, above)
	})
	t.follow(ctx, to, t.Lanes.Correct(to.Lane, p.ticket, answer), p.status)
}

package polite

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
)

// An inquiry is about what is known of a site: in memory, and on the shelf.
type inquiry struct {
	shelf *shelf
	to    *site
	last  *entry // what was known before
	find  *find  // the newest record
	news  *entry // what this inquiry has brought; nil if nothing
	alone bool   // not to go by the Store: it fails, or there is none

	outdated bool  // there is news of what was known
	seen     int64 // the count of the news when the Store was asked last

	fetched *fetched // from the site; nil if nothing was
}

// fetched is what came of a fetch.
type fetched struct {
	fetch.Answer
	err  error
	took time.Duration
}

// look looks for a record to go by. It returns nil if there is none.
func (q *inquiry) look(ctx context.Context) *entry {
	c := q.ask(ctx, "", 0)
	q.find, q.alone = c.find, c.alone
	e := q.weigh(q.remembered())
	if e == nil && q.outdated {
		q.confirm(ctx)
	}
	return e
}

// ask asks the shelf.
func (q *inquiry) ask(ctx context.Context, seen string, fetch time.Duration) claim {
	q.seen = q.shelf.cache.memory.news.count.Load()
	return q.shelf.claim(ctx, q.to.origin, seen, fetch)
}

// confirm notes that the Store has nothing newer than what was known, or that it fails.
func (q *inquiry) confirm(ctx context.Context) {
	switch {
	case !q.alone:
		q.last.heard.seen.Store(q.seen)
		q.last.heard.storeFailed.Store(0)
		q.last.asked.Store(0) // for the site
	case ctx.Err() == nil:
		q.last.heard.storeFailed.Store(max(q.shelf.cache.now(), 1))
	}
}

// enough reports whether there is no other reason to ask the site than that there was news
// of what was known.
func (q *inquiry) enough() bool {
	now := q.shelf.cache.now()
	return q.outdated && (!q.last.Due(now) || q.last.UpToDate(now) && !q.last.Pressing(now, 0))
}

// maxFinds is how many records polite looks at before it asks a site all the same.
const maxFinds = 8

// claim claims the right to fetch, unless there is a newer record to go by.
func (q *inquiry) claim(ctx context.Context) (c claim, e *entry) {
	for range maxFinds {
		if q.alone {
			break
		}
		c = q.ask(ctx, q.find.seen(), q.shelf.policy.timeout())
		if c.find == nil {
			return c, nil
		}
		q.find = c.find
		if e := q.weigh(q.remembered()); e != nil {
			return c, e
		}
	}
	return claim{}, nil
}

// weigh weighs e against what was known before. It returns e, with the last good copy, if
// it is of use to those who wait, else nil.
func (q *inquiry) weigh(e *entry) *entry {
	now := q.shelf.cache.now()
	switch {
	case e == nil:
		return nil
	case q.last == nil:
		q.last = e // it may be the last good copy
	case q.last.AnsweredAfter(&e.Record):
		return nil
	case q.last.State(now) != known.Expired && !q.better(e, now):
		return nil
	}
	if e = e.with(q.last, now); e.State(now) == known.Expired {
		return nil
	}
	return e
}

// better reports whether e is better than what was known and can still be used: it is not
// due, or it is the news.
func (q *inquiry) better(e *entry, now int64) bool {
	if q.outdated && e.Newer(&q.last.Record) {
		return true
	}
	return q.last.Due(now) && !e.Due(now)
}

func (q *inquiry) remembered() *entry {
	return remembered(q.find, q.shelf.agents, q.shelf.policy, q.to.pace, q.shelf.cache.now())
}

// basis returns the copy that the site is asked to confirm. If there is a Store, the text
// of the copy must be there, since it is needed for the next record. basis also lets
// q.last be the newest copy.
func (q *inquiry) basis(c claim) *entry {
	if c.token == "" {
		return q.last
	}
	kept := q.remembered()
	if kept != nil {
		q.last = newest(q.last, kept, q.shelf.cache.now())
	}
	return kept
}

// newest returns the newer one of last, which may be nil, and kept, with the last good
// copy.
func newest(last, kept *entry, now int64) *entry {
	if last == nil || kept.Newer(&last.Record) {
		return kept.with(last, now)
	}
	return last.with(kept, now)
}

// put keeps what is known now on the shelf: e, which an answer has brought.
func (q *inquiry) put(ctx context.Context, c claim, e *entry, answer fetch.Answer, err error, now int64) {
	if c.token != "" {
		q.shelf.put(ctx, q.to.origin, c.token, recorded(e, answer, err, q.find, now), keepFor(e))
	}
}

// giveBack lets others fetch.
func (q *inquiry) giveBack(ctx context.Context, c claim) {
	if c.token != "" {
		q.shelf.put(ctx, q.to.origin, c.token, nil, 0)
	}
}

package polite

import (
	"context"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
)

// An inquiry is about what is known of a site: in memory, and on the shelf.
type inquiry struct {
	shelf *shelf
	to    *site
	last  *entry // what was known before
	find  *find  // the newest record
	alone bool   // the Store fails, or there is none
}

// look looks for a record to go by. It returns nil if there is none.
func (q *inquiry) look(ctx context.Context) *entry {
	c := q.shelf.claim(ctx, q.to.origin, "", 0)
	q.find, q.alone = c.find, c.alone
	return q.usable(q.remembered())
}

// maxFinds is how many records polite looks at before it asks a site all the same.
const maxFinds = 8

// claim claims the right to fetch, unless there is a newer record to go by.
func (q *inquiry) claim(ctx context.Context) (c claim, e *entry) {
	for range maxFinds {
		if q.alone {
			break
		}
		c = q.shelf.claim(ctx, q.to.origin, q.find.seen(), q.shelf.policy.timeout())
		if c.find == nil {
			return c, nil
		}
		q.find = c.find
		if e := q.usable(q.remembered()); e != nil {
			return c, e
		}
	}
	return claim{}, nil
}

// usable returns e if it is of use to those who wait, else nil.
func (q *inquiry) usable(e *entry) *entry {
	now := q.shelf.cache.now()
	switch {
	case e == nil:
		return nil
	case e.State(now) != known.Expired && (q.last == nil || q.last.State(now) == known.Expired || !e.Due(now)):
		return e
	case q.last == nil:
		q.last = e // it may be the last good copy
	}
	return nil
}

func (q *inquiry) remembered() *entry {
	return remembered(q.find, q.shelf.policy, q.shelf.pace, q.shelf.cache.now())
}

// basis returns the copy that the site is asked to confirm. If there is a Store, the text
// of the copy must be there, since it is needed for the next record. basis also lets
// q.last be the newest copy.
func (q *inquiry) basis(c claim) *entry {
	if c.token == "" {
		return q.last
	}
	kept := q.remembered()
	if q.last == nil || kept != nil && kept.Fetched > q.last.Fetched {
		q.last = kept
	}
	return kept
}

// put keeps what is known now on the shelf: e, which an answer has brought.
func (q *inquiry) put(ctx context.Context, c claim, e *entry, answer fetch.Answer, err error, now int64) {
	if c.token != "" {
		q.shelf.put(ctx, q.to.origin, c.token, recorded(e, answer, err, q.find.record(), now), keepFor(e))
	}
}

// giveBack lets others fetch.
func (q *inquiry) giveBack(ctx context.Context, c claim) {
	if c.token != "" {
		q.shelf.put(ctx, q.to.origin, c.token, nil, 0)
	}
}

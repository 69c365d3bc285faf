package polite

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"
)

const (
	maxAge       = 24 * time.Hour // RFC 9309 §2.4
	failureAge   = time.Minute
	defaultBytes = 64 << 20
)

// A Cache keeps what origins answered when they were asked for robots.txt: for
// 24 hours (RFC 9309 §2.4), or a minute if they could not be reached. It asks
// each origin once at a time, however many requests wait for the answer. The
// zero Cache is ready for use. Transports that share one ask each origin once
// between them; it is safe for concurrent use, and must not be copied.
type Cache struct {
	// MaxBytes bounds the memory for what is kept; the origins that are asked
	// for least give way. Zero is 64 MiB. It must not be changed after the first
	// use.
	MaxBytes int64

	init    sync.Once
	entries *otter.Cache[origin.Origin, *entry]
	flights singleflight.Group
}

// An entry is what is known of an origin's robots.txt. It does not change.
type entry struct {
	file    *robots.File // nil if there is none
	status  int
	err     error
	hops    []string
	asked   time.Time
	expires time.Time
}

// newEntry makes an entry of the answer to a request for robots.txt.
func newEntry(answer fetch.Answer, err error) *entry {
	e := &entry{status: answer.Status, err: err, hops: answer.Hops, asked: time.Now()}
	age := maxAge
	switch {
	case err == nil && answer.Status/100 == 2:
		e.file = robots.Parse(answer.Body)
	case e.failed():
		age = failureAge
	}
	e.expires = e.asked.Add(age)
	return e
}

// failed reports whether e says nothing of what the site wants.
func (e *entry) failed() bool { return e.file == nil && absence(e.status, e.err) == Unreachable }

func (e *entry) fresh() bool { return time.Now().Before(e.expires) }

// cost is about what an entry takes in memory, its key and its place included.
func cost(o origin.Origin, e *entry) uint32 {
	n := 400 + len(o.Host) + len(o.Dial)
	for _, hop := range e.hops {
		n += 16 + len(hop)
	}
	if e.file != nil {
		n += e.file.Size()
	}
	return uint32(n)
}

func (c *Cache) setup() {
	limit := c.MaxBytes
	if limit <= 0 {
		limit = defaultBytes
	}
	c.entries = otter.Must(&otter.Options[origin.Origin, *entry]{MaximumWeight: uint64(limit), Weigher: cost})
}

// get returns what is known of o. If that is nothing, or no longer fresh, it is
// the result of ask, for which all callers wait together, each for as long as
// its context lasts.
func (c *Cache) get(ctx context.Context, o origin.Origin, ask func() *entry) (*entry, error) {
	c.init.Do(c.setup)
	if e, ok := c.entries.GetIfPresent(o); ok && e.fresh() {
		return e, nil
	}
	flight := c.flights.DoChan(o.Key(), func() (landed any, err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("polite: panic while asking for robots.txt: %v", p)
			}
		}()
		// Another flight may have landed since.
		if e, ok := c.entries.GetIfPresent(o); ok && e.fresh() {
			return e, nil
		}
		e := ask()
		o.Host = strings.Clone(o.Host) // not to keep the URL that it is a part of
		c.entries.Set(o, e)
		return e, nil
	})
	select {
	case landed := <-flight:
		e, _ := landed.Val.(*entry)
		return e, landed.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

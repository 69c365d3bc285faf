package memory

import "github.com/go-polite/polite/internal/fetch"

// details are what is seldom known of an answer.
type details struct {
	hops       []string
	beyond     string // where the last hop redirects to, if this was not followed
	err        error  // too many redirects
	validators fetch.Validators
}

// redirects reports whether the answer came by redirects, or ended at one.
func (d *details) redirects() bool { return len(d.hops)+len(d.beyond) > 0 }

// detailsOf returns the details of an answer that came this way, or nil if it has none.
func detailsOf(v fetch.Validators, way details) *details {
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL == "" && len(way.hops) == 0 && way.err == nil {
		return nil
	}
	way.validators = v
	return &way
}

// cost returns the memory that d takes.
func (d *details) cost() int {
	return 112 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.beyond, d.err)
}

// size returns the memory that tells how far a fetch has come.
func size(hops []string, beyond string, err error) int {
	n := len(beyond) + fetch.Size(err)
	for _, hop := range hops {
		n += 16 + len(hop)
	}
	return n
}

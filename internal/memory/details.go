package memory

import "github.com/go-polite/polite/internal/fetch"

// details are what is seldom known of an answer.
type details struct {
	hops       []string
	err        error // too many redirects
	validators fetch.Validators
}

// detailsOf returns the details of an answer, or nil if it has none.
func detailsOf(v fetch.Validators, hops []string, err error) *details {
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL == "" && len(hops) == 0 && err == nil {
		return nil
	}
	return &details{hops: hops, err: err, validators: v}
}

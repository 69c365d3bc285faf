package answers

import (
	"hash/maphash"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
)

// A name tells its origin from all others, and has the validators that it was made of.
func TestName(t *testing.T) {
	origins := []origin.Origin{
		{Host: "a", Port: 80}, {Host: "a", Port: 81}, {Host: "a", Port: 80, TLS: true}, {Host: "ab", Port: 80}, {Host: "b", Port: 80},
		{Host: "a", Port: 80, Dial: "a:81"}, {Host: "a", Port: 80, Dial: "a:8"}, {Host: "a", Port: 80, Dial: "b:81"}, {Host: "::1", Port: 80},
	}
	seed := maphash.MakeSeed()
	for _, o := range origins {
		for _, v := range []fetch.Validators{
			{},
			{URL: o.RobotsURL().String(), ETag: `"1"`},
			{URL: "http://other.example/robots.txt", LastModified: "Sun, 22 Nov 2026 00:00:00 GMT"},
			{URL: "http://other.example/", ETag: "a", LastModified: "b"},
		} {
			n := nameOf(o, v)
			assert.Equal(t, o, n.Key())
			assert.Equal(t, v, n.validators(), n.text)
			for _, other := range origins {
				assert.Equal(t, o == other, n.HasKey(other), "%v %v", o, other)
				assert.Equal(t, o == other, o.Hash(seed) == other.Hash(seed), "%v %v", o, other)
			}
		}
	}
}

// What an entry tells of its answer is the same once it has a name, whatever a site or a
// Store has written.
func TestSettle(t *testing.T) {
	o := origin.Origin{Host: "a.example", Port: 80}
	url := o.RobotsURL().String()
	for _, want := range []*details{
		nil,
		{validators: fetch.Validators{URL: url, ETag: "a"}},
		{validators: fetch.Validators{URL: url, ETag: "a\nb", LastModified: "c"}},
		{validators: fetch.Validators{URL: url, ETag: strings.Repeat("\n", 9)}},
		{hops: []string{"http://b.example/robots.txt"}, validators: fetch.Validators{URL: url, ETag: "a"}},
		{hops: []string{"http://b.example/robots.txt"}},
	} {
		e := &Known{details: want}
		e.settle(o)
		assert.Equal(t, want, e.allDetails())
		assert.Equal(t, o, e.Key())
	}
}

package usage_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots/usage"
)

// The examples of the TDM Reservation Protocol, and what else a site can write.
func TestReservations(t *testing.T) {
	const three = `[
		{"location": "/directory-a/", "tdm-reservation": 1},
		{"location": "/directory-b/html/", "tdm-reservation": 1, "tdm-policy": "https://example.com/policy.json"},
		{"location": "/directory-b/images/*.jpg", "tdm-reservation": 0}
	]`
	for _, test := range []struct {
		file, target string
		want         usage.Preference
		policy       string
	}{
		{`[{"location": "/", "tdm-reservation": 1}]`, "/any", usage.No, ""},
		{three, "/directory-a/1.pdf", usage.No, ""},
		{three, "https://example.com/directory-b/html/1", usage.No, "https://example.com/policy.json"},
		{three, "/directory-b/images/1.jpg", usage.Yes, ""},
		{three, "/directory-b/images/1.png", usage.NotStated, ""},
		{three, "/directory-A/", usage.NotStated, ""},                                                                     // case matters
		{`[{"location": "/a", "tdm-reservation": 0}, {"location": "/a/b", "tdm-reservation": 1}]`, "/a/b", usage.Yes, ""}, // the first in sequence
		{`[{"location": "/a$", "tdm-reservation": 1}]`, "/a/b", usage.NotStated, ""},
		{`[{"location": "/%7Ea", "tdm-reservation": 1}]`, "/~a", usage.No, ""},
		{`[{"location": "/", "tdm-reservation": "1"}]`, "/", usage.No, ""},
		{`[{"location": "/", "tdm-reservation": 2}, {"location": "/", "tdm-reservation": 1}]`, "/", usage.NotStated, ""},
		{`[{"location": "/"}, {"tdm-reservation": 1}]`, "/", usage.NotStated, ""},
		{`[{"location": "/\nallow: /x", "tdm-reservation": 1}]`, "/", usage.NotStated, ""},
		{`[{"location": "/", "tdm-reservation": 1, "tdm-policy": 5}]`, "/", usage.No, ""},
		{`[]`, "/", usage.NotStated, ""},
	} {
		r, err := usage.ParseReservations([]byte(test.file))
		require.NoError(t, err, test.file)
		page := r.Of(test.target)
		assert.Equal(t, test.want, page.Allows(usage.TDM), "%s at %s", test.file, test.target)
		assert.Equal(t, test.policy, page.TDMPolicy, "%s at %s", test.file, test.target)
	}
	for _, file := range []string{"", "<html>", `{"location": "/", "tdm-reservation": 1}`, `[{"location": 1}]`, "[" + strings.Repeat(`[`, 100_000)} {
		r, err := usage.ParseReservations([]byte(file))
		assert.ErrorContains(t, err, "tdmrep.json")
		assert.True(t, r.Of("/").IsZero())
	}
	many, err := usage.ParseReservations([]byte("[" + strings.Repeat(`{"location":"/a","tdm-reservation":1},`, 10_000) + `{"location":"/","tdm-reservation":1}]`))
	require.NoError(t, err)
	assert.Equal(t, usage.NotStated, many.Of("/").Allows(usage.TDM), "a file has a bound")
	assert.Less(t, many.Size(), 1<<20)
}

// A header counts beside the file, and no wins.
func TestReservationBesideHeader(t *testing.T) {
	r, err := usage.ParseReservations([]byte(`[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/site"}]`))
	require.NoError(t, err)
	both := r.Of("/").And(usage.OfHeader(header("TDM-Reservation: 0", "TDM-Policy: /page")))
	assert.Equal(t, usage.No, both.Allows(usage.TDM))
	assert.Equal(t, "/page", both.TDMPolicy)
	short, err := usage.ParseReservations([]byte(`[{"location": "/", "tdm-reservation": 1}]`))
	require.NoError(t, err)
	assert.Equal(t, len("/site"), r.Size()-short.Size(), "a policy takes memory")
}

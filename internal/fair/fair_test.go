package fair_test

import (
	"testing"

	"github.com/go-polite/polite/internal/fair"
	"github.com/stretchr/testify/assert"
)

func TestSite(t *testing.T) {
	for name, want := range map[string]string{
		"origin http://example.com":                  "example.com",
		"origin https://a.b.example.com:8443":        "example.com",
		"origin http://a.example.co.uk":              "example.co.uk",
		"origin http://example.co.uk":                "example.co.uk",
		"origin http://www.example.de":               "example.de",
		"origin http://example.com.":                 "example.com",
		"origin http://localhost:80":                 "localhost",
		"origin http://192.0.2.7:8080":               "192.0.2.0/24",
		"origin http://192.0.2.0":                    "192.0.2.0/24",
		"origin http://192.0.2.9":                    "192.0.2.0/24",
		"origin http://[2001:db8:1:2::7]":            "2001:db8:1::/48",
		"origin http://[2001:db8:1:2::7]:80":         "2001:db8:1::/48",
		"origin http://[::ffff:192.0.2.7]":           "192.0.2.0/24",
		"origin http://a.example.com 203.0.113.1:80": "example.com",
		"key group 7":                                "key group 7",
		"":                                           "",
		"origin http://":                             "",
		"origin http://[":                            "[",
		"origin http://..":                           ".",
	} {
		assert.Equal(t, want, fair.Site(name), name)
	}
}

// Of the lanes of a site, those that came late go first, and of sites that have as many,
// the newest.
func TestSort(t *testing.T) {
	lanes := []fair.Lane[string]{
		{"honest", "http://honest.example", 1},
		{"hostile 1", "http://a.hostile.example", 0},
		{"hostile 2", "http://b.hostile.example", 2},
		{"hostile 3", "http://c.hostile.example", 3},
		{"two 1", "http://a.two.example", 4},
		{"two 2", "http://b.two.example", 5},
		{"late", "http://late.example", 6},
	}
	fair.Sort(lanes)
	var order []string
	for _, l := range lanes {
		order = append(order, l.Value)
	}
	assert.Equal(t, []string{"hostile 3", "two 2", "hostile 2", "late", "two 1", "honest", "hostile 1"}, order)
}

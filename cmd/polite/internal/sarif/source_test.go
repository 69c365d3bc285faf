package sarif

import (
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

func TestRegions(t *testing.T) {
	for _, test := range []struct {
		body                    string
		line, octets, from, end int
	}{
		{"allow: /x", 1, 8, 8, 10},
		{"# a\nallow: /é/x", 2, 12, 11, 12},
		{"# a\r\nallow: /\U0001F600/x", 2, 13, 11, 13},
		{"allow: /\xff/x", 1, 10, 10, 12},
		{"\uFEFFallow: /x", 1, 11, 8, 10},
		{"\uFEFFallow: /x", 1, 1, 1, 10},
		{"\uFEFF# a\nallow: /x", 2, 8, 8, 10},
		{"", 1, 1, 1, 1},
		{"allow: /x", 1, 10, 10, 10}, // at its end
		{"allow: /x", 2, 1, 1, 1},    // after the last
	} {
		finding := robots.Finding{Line: test.line, Column: test.octets}
		source := Source{Body: []byte(test.body), Findings: []robots.Finding{finding, finding}}
		for _, where := range regions(source) {
			assert.Equal(t, region{test.line, test.from, test.line, test.end}, where, "%q", test.body)
		}
	}
}

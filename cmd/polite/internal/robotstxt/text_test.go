package robotstxt

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A text that speaks to nobody is told from one that speaks to others.
func TestLack(t *testing.T) {
	for body, want := range map[string]Lack{
		"user-agent: b\ndisallow: /\n":      NoLack,
		"# none\n\nUSERAGENT b":             NoLack,
		"<!doctype html><title>x</title>\n": HTML,
		"\xff\xfeu\x00s\x00":                UTF16,
		"":                                  NoGroups,
		"sitemap: https://a/s.xml":          NoGroups,
		"disallow: /\n":                     NoGroups,
		"user-agent:\ndisallow: /":          NoGroups,
		"# user-agent: b\n":                 NoGroups,
	} {
		assert.Equal(t, want, NewText([]byte(body)).Lack(), body)
	}
}

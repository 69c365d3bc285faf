package robots_test

import (
	"fmt"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// Tokens with equal keys are distinguished: they have the same length, and the same
// first, middle and last character.
func TestTokensWithOneKey(t *testing.T) {
	body := ""
	for i, token := range []string{"aycb", "axcb", "AYcb", "azcb", "axcb", "aycB"} {
		body += fmt.Sprintf("user-agent: %s\ndisallow: /%d\n", token, i)
	}
	f := robots.Parse([]byte(body))
	for token, want := range map[string]string{"axcb": "14", "aycb": "025", "AZCB": "3", "awcb": ""} {
		disallowed := ""
		for i := range 6 {
			if !f.Allowed(token, fmt.Sprintf("/%d", i)) {
				disallowed += fmt.Sprint(i)
			}
		}
		assert.Equal(t, want, disallowed, token)
	}
}

// A token is shown as the first line writes it, and as a line writes it rather than
// shortened.
func TestTokensAsWritten(t *testing.T) {
	for body, want := range map[string]string{
		"user-agent: Ab1\nuser-agent: aB2\n": "Ab",
		"user-agent: Ab1\nuser-agent: aB\n":  "aB",
		"user-agent: Ab\nuser-agent: aB\n":   "Ab",
		"user-agent: Ab\nuser-agent: aB1\n":  "Ab",
	} {
		assert.Equal(t, want, robots.Parse([]byte(body+"disallow: /")).Rules("AB").Agent(), body)
	}
}

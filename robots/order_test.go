package robots_test

import (
	"fmt"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// Tokens are told apart that have the same length and the same first, middle and last
// character, as their keys are equal.
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

package status_test

import (
	"net/http"
	"testing"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/status"
	"github.com/stretchr/testify/assert"
)

// A wall says in a header that its answer is a challenge, whatever the status. Other values are no
// challenge.
func TestChallenge(t *testing.T) {
	for _, test := range []struct {
		name, value string
		is          bool
	}{
		{"Cf-Mitigated", "challenge", true},
		{"Cf-Mitigated", " Challenge ", true},
		{"X-Amzn-Waf-Action", "challenge", true},
		{"X-Amzn-Waf-Action", "captcha", true},
		{"X-Vercel-Mitigated", "challenge", true},
		{"X-Vercel-Mitigated", "deny", false},
		{"Cf-Mitigated", "block", false},
		{"Cf-Mitigated", "", false},
		{"Server", "challenge", false},
	} {
		for _, code := range []int{200, 202, 403, 405, 429, 503} {
			resp := &http.Response{StatusCode: code, Header: http.Header{test.name: {test.value}}}
			assert.Equal(t, test.is, status.IsChallenge(resp.Header), test)
			assert.Equal(t, test.is, status.LoadOf(t.Context(), resp, nil) == limit.Challenged, test)
		}
	}
}

package closest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestName(t *testing.T) {
	verbs := []string{"get", "check", "lint", "sitemaps", "records", "version", "help"}
	for written, want := range map[string]string{
		"chekc": "check", "Lint": "lint", "site-maps": "sitemaps", "record": "records", "helpp": "help", "xyget": "get",
		"": "", "x": "", "robots": "", "something else": "",
	} {
		assert.Equal(t, want, Name(written, verbs), written)
	}
}

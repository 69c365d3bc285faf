package command

import (
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// aURL is what can be taken for nothing but a URL.
var aURL = regexp.MustCompile(`^https?://[a-z0-9.:-]+(/[A-Za-z0-9._~!$&()*+,;=:@/?%-]*)?$`)

func TestHostileSitemaps(t *testing.T) {
	for name, text := range origintest.Hostile() {
		t.Run(name, func(t *testing.T) {
			site := hostileSite(t, text).URL
			got := runCommand(t, "records", "--sitemaps", site)
			assert.Equal(t, 0, got.status)
			for line := range strings.Lines(got.stdout) {
				assert.Regexp(t, aURL, strings.TrimSuffix(line, "\n"))
			}
			assert.Contains(t, got.stdout, site+"/--output=/home/x\n"+site+"/%5B1-9%5D/%7Ba,b%7D?%5B1-9%5D\n")
			assert.Contains(t, got.stderr, "left out, as it is no absolute http or https URL: ::stop-commands::x\n")

			asJSON := runCommand(t, "records", "--sitemaps", "--json", site)
			assert.Equal(t, got.stderr, asJSON.stderr)
			var lines []string
			for line := range strings.Lines(got.stdout) {
				lines = append(lines, `{"sitemap":"`+strings.TrimSuffix(line, "\n")+`"}`+"\n")
			}
			assert.Equal(t, strings.Join(lines, ""), asJSON.stdout)
		})
	}
}

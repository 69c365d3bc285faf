package reader

import (
	"net/http"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However a robots.txt comes, its text is read.
func TestSite(t *testing.T) {
	const body = "user-agent: *\ndisallow: /x\nsitemap: https://site.example/s.xml\n"
	for name, robots := range map[string]http.HandlerFunc{
		"as it is":             origintest.Text(body),
		"compressed":           origintest.Encoded("gzip", origintest.Compressed(body)),
		"compressed otherwise": origintest.Encoded("x-gzip", origintest.Compressed(body)),
		"redirected":           origintest.Redirect("http://other.example/robots.txt"),
		"with an empty port":   origintest.Redirect("http://other.example:/robots.txt"),
	} {
		t.Run(name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("site.example", robots)
			web.Robots("other.example", origintest.Text(body))
			source, err := newReader(web.Transport(t), new(polite.Cache), 0, new(report.Work), verb.Streams{}).Robots(t.Context(), "http://site.example/")
			require.NoError(t, err)
			assert.Equal(t, body, string(source.Body))
			assert.Equal(t, "http://site.example/robots.txt", source.Name)

			u, err := input.URL("http://site.example/x")
			require.NoError(t, err)
			j := judge.New(judge.Options{Crawlers: [][]string{{"a"}}, Base: web.Transport(t), Explain: true})
			assert.Len(t, j.Judge(t.Context(), judge.Question{URL: u})[0].Matches, 1)
		})
	}
}

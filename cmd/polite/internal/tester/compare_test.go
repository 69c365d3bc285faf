package tester

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Verdicts on many URLs are told together, if the same rules change them for the same
// crawlers.
func TestCompareManyURLs(t *testing.T) {
	var urls []string
	for i := range 5000 {
		urls = append(urls, fmt.Sprintf("/p/%d", i), fmt.Sprintf("/q/%d", i))
	}
	c := serve(t, Start{}, nil)
	before, text := part{"before", "user-agent: *\ndisallow: /r\n"}, part{"text", "user-agent: *\ndisallow: /p/\ndisallow: /q/\n"}
	var a compareAnswer
	c.ask("compare", &a, asked(t, map[string]any{"agent": "*"}), listed(urls...), before, text)
	assert.Equal(t, "10000 verdicts change, for 1 of 1 crawler", a.Totals)
	require.Len(t, a.Verdicts, 2)
	assert.Equal(t, 4999, a.Verdicts[0].More)
	assert.Equal(t, 3, a.Verdicts[1].New.Line)

	for format, want := range map[string]string{
		"markdown": "<code>/p/0</code> and 4999 more",
		"json":     "/q/4999",
	} {
		resp, body := c.send(c.request("review", asked(t, map[string]any{"agent": "*", "format": format}), listed(urls...), before, text))
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		assert.Contains(t, body, want, format)
		assertProtected(t, resp)
	}
	resp, body := c.send(c.request("review", asked(t, map[string]any{"agent": "*", "format": "html"}), before, text))
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Contains(t, body, "there is markdown, json")
}

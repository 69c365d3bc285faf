package programs

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inspect runs the inspector of the protocol against "polite mcp", and returns what it prints.
func inspect(t *testing.T, w *web, args ...string) (printed map[string]any) {
	inspector := filepath.Join(os.Getenv("POLITE_NODE_MODULES"), "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
	if os.Getenv("POLITE_NODE_MODULES") == "" || !exists(inspector) {
		t.Skip("the inspector is not installed")
	}
	polite, err := built()
	require.NoError(t, err)
	line := []string{inspector, "--cli"}
	for _, variable := range []string{"HTTP_PROXY=" + w.URL, "HTTPS_PROXY=" + w.URL, "SSL_CERT_FILE=" + w.CA} {
		line = append(line, "-e", variable) // it hands down none of its own
	}
	line = append(append(line, polite, "mcp", "-A", userAgent, "--no-cache"), args...)
	cmd := exec.CommandContext(t.Context(), newNode(), line...)
	cmd.Env = withoutProxies(os.Environ())
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	cmd.Run() // it fails if a tool refuses
	require.NoError(t, json.NewDecoder(&out).Decode(&printed), problems.String())
	return printed
}

// The inspector, which others have written, lists the tools and the prompt, and calls each. It
// checks results against the schemas.
func TestInspector(t *testing.T) {
	w := newWeb(t)
	w.Robots("shop.example", origintest.Text("user-agent: *\ndisallow: /private\nsitemap: /sitemap.xml\n"))
	w.Page("shop.example", "/sitemap.xml", origintest.Text("<urlset><url><loc>https://shop.example/a</loc></url></urlset>"))
	for _, list := range []struct {
		method, of string
		want       []string
	}{
		{"tools/list", "tools", []string{"check", "fetch", "robots", "sitemap"}},
		{"prompts/list", "prompts", []string{"fetch"}},
	} {
		var names []string
		for _, listed := range inspect(t, w, "--method", list.method)[list.of].([]any) {
			names = append(names, listed.(map[string]any)["name"].(string))
		}
		assert.ElementsMatch(t, list.want, names)
	}
	assert.Empty(t, w.Take())
	for _, call := range []struct{ tool, url, found, arrives string }{
		{"fetch", "https://shop.example/a", "text", "GET https://shop.example/robots.txt\nGET https://shop.example/a\n"},
		{"fetch", "https://shop.example/private", "", "GET https://shop.example/robots.txt\n"},
		{"check", "https://shop.example/private", "rule", "GET https://shop.example/robots.txt\n"},
		{"robots", "https://shop.example/", "text", "GET https://shop.example/robots.txt\n"},
		{"sitemap", "https://shop.example/", "urls", "GET https://shop.example/robots.txt\nGET https://shop.example/sitemap.xml\n"},
	} {
		printed := inspect(t, w, "--method", "tools/call", "--tool-name", call.tool, "--tool-arg", "url="+call.url)
		structured := printed["structuredContent"].(map[string]any)
		if found, ok := structured["found"].(map[string]any); ok {
			assert.NotEmpty(t, found[call.found], "%v", printed)
		} else {
			assert.Empty(t, call.found, "%v", printed)
			assert.Equal(t, "disallowed", structured["refused"].(map[string]any)["why"])
		}
		assert.Equal(t, call.arrives, w.Take().String(), "%s %s", call.tool, call.url)
	}
	prompted := inspect(t, w, "--method", "prompts/get", "--prompt-name", "fetch", "--prompt-args", "url=https://shop.example/a")
	assert.NotEmpty(t, prompted["messages"])
	pages := w.Take().Pages()
	require.Len(t, pages, 1)
	assert.Contains(t, pages[0].Header.Get("User-Agent"), "ExampleBot-User/1.0")
}

package command

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// getJSON returns the exit status and the objects on standard error.
func getJSON(t *testing.T, args ...string) (status int, objects []map[string]any) {
	got := runCommand(t, append([]string{"get", "--json"}, args...)...)
	for line := range strings.Lines(got.stderr) {
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &object), line)
		if next, ok := object["next"]; ok {
			_, err := time.Parse(time.RFC3339, next.(string))
			assert.NoError(t, err)
			delete(object, "next")
		}
		if says, ok := object["provenance"]; ok {
			assert.Equal(t, object["url"], says.(map[string]any)["url"])
			assert.Contains(t, object, "status", "a page has come")
			delete(object, "provenance")
		}
		objects = append(objects, object)
	}
	return got.status, objects
}

func TestGetJSON(t *testing.T) {
	shop, down := shopSite(t), downSite(t)
	refusal := shop.URL + `/private/x, to which ` + shop.URL + `/trap redirects, is disallowed for polite by "disallow: /private", line 2 of ` + shop.URL + `/robots.txt (group "*")`

	status, got := getJSON(t, "--sites", sitesFile(t, "127.0.0.1 delay=10ms\n"), shop.URL+"/private/press", shop.URL+"/a?b=c&d", shop.URL+"/trap", shop.URL+"/babble", shop.URL+"/robots.txt", down.URL+"/a")
	assert.Equal(t, 3, status)
	require.Len(t, got, 9)
	assert.Equal(t, map[string]any{"not_fetched": 3.0, "urls": 6.0}, got[8])

	shopSays := func(more map[string]any) map[string]any {
		object := map[string]any{
			"allowed": true, "reason": "no-rule", "gap": 0.01,
			"origin": shop.URL, "agent": "polite", "group": "*",
			"robots_url": shop.URL + "/robots.txt", "robots_status": 200.0,
		}
		maps.Copy(object, more)
		return object
	}
	assert.Equal(t, shopSays(map[string]any{
		"url": shop.URL + "/private/press", "status": 200.0,
		"reason": "rule", "rule": "allow: /private/press", "line": 3.0,
	}), got[0])
	assert.Equal(t, shopSays(map[string]any{"url": shop.URL + "/a?b=c&d", "status": 200.0}), got[1])
	assert.Equal(t, shopSays(map[string]any{"url": shop.URL + "/trap", "status": 302.0}), got[2])
	assert.Equal(t, shopSays(map[string]any{
		"url": shop.URL + "/step", "status": 302.0, "hop": 2.0, "redirected_from": shop.URL + "/trap",
	}), got[3])
	assert.Equal(t, shopSays(map[string]any{
		"url": shop.URL + "/private/x", "hop": 3.0, "redirected_from": shop.URL + "/step",
		"allowed": false, "reason": "rule", "rule": "disallow: /private", "line": 2.0, "error": refusal,
	}), got[4])
	assert.Equal(t, shopSays(map[string]any{
		"url": shop.URL + "/babble", "error": babbled,
	}), got[5])
	assert.Equal(t, map[string]any{
		"url": shop.URL + "/robots.txt", "status": 200.0, "allowed": true, "reason": "robots.txt", "gap": 0.01,
		"origin": shop.URL, "agent": "polite",
	}, got[6])

	assert.Contains(t, got[7]["error"], "answered 500 Internal Server Error")
	delete(got[7], "error")
	assert.Equal(t, map[string]any{
		"url": down.URL + "/a", "allowed": false, "reason": "unreachable", "gap": 0.01,
		"origin": down.URL, "agent": "polite",
		"robots_url": down.URL + "/robots.txt", "robots_status": 500.0,
	}, got[7])
}

func TestGetJSONIsReadable(t *testing.T) {
	s := shopSite(t)
	got := runCommand(t, "get", "--json", s.URL+"/a?b=c&d")
	assert.Contains(t, got.stderr, `/a?b=c&d"`)
	assert.Contains(t, got.stderr, `"next":"20`)
}

func TestGetJSONNobodyKnows(t *testing.T) {
	robots := newSite(t, origintest.Redirect("/elsewhere"), pages{"/elsewhere": origintest.Redirect("/robots.txt")})
	_, got := getJSON(t, robots.URL+"/a")
	require.Len(t, got, 1)
	assert.Equal(t, map[string]any{
		"url": robots.URL + "/a", "allowed": true, "reason": "unavailable", "status": 404.0, "gap": 1.0,
		"origin": robots.URL, "agent": "polite",
		"robots_url": robots.URL + "/robots.txt", "robots_status": 302.0,
		"robots_hops": []any{robots.URL + "/elsewhere"}, "robots_error": "too many redirects",
	}, got[0])
}

// Beside a page stands what its site and its headers say.
func TestGetProvenance(t *testing.T) {
	site := newSite(t, origintest.Text("user-agent: *\ncontent-signal: ai-train=no\n"), pages{"/page": origintest.Status(200, "X-Robots-Tag", "noindex")})
	got := runCommand(t, "get", "--json", site.URL+"/page")
	var object struct{ Provenance provenance.Record }
	require.NoError(t, json.Unmarshal([]byte(got.stderr), &object), got.stderr)
	said := object.Provenance
	assert.Equal(t, site.URL+"/robots.txt", said.Robots.URL)
	assert.Len(t, said.Robots.SHA256, 64)
	require.Len(t, said.Uses, 2)
	assert.Equal(t, "content-signal: ai-train=no", said.Uses[0].Statement)
	assert.Equal(t, "x-robots-tag", said.Uses[1].Source)
}

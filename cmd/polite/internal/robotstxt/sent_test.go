package robotstxt_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a site has answered is there as soon as it is known, octet for octet.
func TestOf(t *testing.T) {
	web, kept := origintest.New(t), robotstxt.NewMemory(64<<20)
	long := strings.Repeat("# \xff\r\n", robots.MaxSize/5+1)
	web.Robots("shop.test", origintest.Text("\xef\xbb\xbfuser-agent: *\r\n"))
	web.Robots("moved.test", origintest.Redirect("https://shop.test/robots.txt"))
	web.Robots("gone.test", origintest.Status(http.StatusGone))
	web.Robots("long.test", origintest.Text(long))
	web.Robots("down.test", origintest.Status(http.StatusInternalServerError))
	const agent = "ExampleBot/1.0"
	transport := &polite.Transport{UserAgent: agent, Base: web.Transport(t), Cache: &polite.Cache{Store: kept}}
	for _, test := range []struct {
		site string
		want robotstxt.Source
		ok   bool
	}{
		{"shop.test", robotstxt.Source{Status: 200, Body: []byte("\xef\xbb\xbfuser-agent: *\r\n")}, true},
		{"moved.test", robotstxt.Source{Status: 200, Body: []byte("\xef\xbb\xbfuser-agent: *\r\n")}, true},
		{"gone.test", robotstxt.Source{Status: http.StatusGone}, true},
		{"long.test", robotstxt.Source{Status: 200, Body: []byte(long[:robots.MaxSize])}, true},
		{"down.test", robotstxt.Source{}, false},
	} {
		u := &url.URL{Scheme: "https", Host: test.site}
		_, ok, err := robotstxt.Of(t.Context(), kept, agent, u)
		require.NoError(t, err)
		assert.False(t, ok, "nobody has asked %s", test.site)
		_, err = transport.Robots(t.Context(), u)
		assert.Equal(t, test.ok, err == nil, test.site)
		got, ok, err := robotstxt.Of(t.Context(), kept, agent, u)
		require.NoError(t, err)
		assert.Equal(t, test.ok, ok, test.site)
		assert.Equal(t, test.want.Status, got.Status, test.site)
		assert.Equal(t, string(test.want.Body), string(got.Body), test.site)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	_, _, err := robotstxt.Of(ended, kept, agent, &url.URL{Scheme: "https", Host: "shop.test"})
	assert.ErrorIs(t, err, context.Canceled)
	_, _, err = robotstxt.Of(t.Context(), kept, agent, &url.URL{Scheme: "https", Host: "a b"})
	assert.Error(t, err)
}

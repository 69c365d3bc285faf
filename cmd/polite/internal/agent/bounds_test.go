package agent

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A shelf keeps what was used last, for an hour, up to its bound.
func TestShelf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shelf[string]
		put := func(key string, size int) { s.put(key, "of "+key, size) }
		has := func(keys string) (found string) {
			for _, key := range strings.Fields(keys) {
				if value, ok := s.get(key); ok {
					assert.Equal(t, "of "+key, value)
					found += key
				}
			}
			return found
		}
		put("a", mostKept/2)
		put("b", mostKept/4)
		put("c", mostKept/4)
		assert.Equal(t, "abc", has("a b c x"), "all fit")
		has("a")
		put("d", 1)
		assert.Equal(t, "acd", has("a b c d"), "b was not used for longest")
		put("a", mostKept)
		assert.Equal(t, "a", has("a c d"))
		put("a", mostKept+1)
		assert.Empty(t, has("a"), "it does not fit alone")

		put("e", mostKept)
		time.Sleep(keepTime)
		assert.Equal(t, "e", has("e"))
		time.Sleep(time.Nanosecond)
		assert.Empty(t, has("e"))
		put("e", mostKept)
		put("f", 1)
		time.Sleep(keepTime + 1)
		put("g", 1)
		assert.Len(t, s.kept, 1, "what is old takes no memory")
	})
}

// An hourly counts so many hosts at most, and forgets them after an hour.
func TestMostHosts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hourly{most: 2}
		h.count("0")
		for n := range mostHosts - 1 {
			h.sent[strconv.Itoa(n+1)] = h.sent["0"]
		}
		_, err := h.count("1")
		assert.NoError(t, err)
		_, err = h.count("another")
		assert.Equal(t, &Refusal{Why: "host", Says: "Not sent: this server has sent requests to 10000 hosts within an hour, and counts no more.", Again: at(time.Now().Add(time.Hour))}, err)
		time.Sleep(time.Hour)
		_, err = h.count("another")
		assert.NoError(t, err)
		assert.Len(t, h.sent, 1)
	})
}

// Characters that nobody sees are left out, and no others.
func TestHarmlessText(t *testing.T) {
	const unseen = "\u00ad\u034f\u115f\u180b\u200b\u200c\u200d\u2060\u2064\u2065\u3164\ufe00\ufe0f\ufeff\uffa0\U000E0000\U000E0001\U000E007F\U000E01EF\U000E0FFF"
	for _, r := range unseen {
		assert.Equal(t, "ab", harmless("a"+string(r)+"b"), "%U", r)
	}
	for _, r := range "\u200a\u200e\u202e\u205f\u2066\ufe10\ufefe\uff00\U000DFFFF\U000E1000" {
		assert.Less(t, 2, len(harmless("a"+string(r)+"b")), "%U", r)
	}
	assert.Equal(t, "a\nb\nc\n\nd\te\\x0ef\uFFFD", harmless("a\rb\r\nc\n\rd\te\x0ef\xff"))
}

// The folders above a page are offered, the nearest first, and not those of an endless path.
func TestParents(t *testing.T) {
	for path, want := range map[string]string{
		"": "", "/": "", "/a": "/", "/a/": "/", "/a/b": "/a/ /", "/a/b/c/": "/a/b/ /a/ /", "/é/b": "/%C3%A9/ /",
		"/1/2/3/4/5/6/7/b":   "/1/2/3/4/5/6/7/ /1/2/3/4/5/6/ /1/2/3/4/5/ /1/2/3/4/ /1/2/3/ /1/2/ /1/ /",
		"/1/2/3/4/5/6/7/8/b": "/1/2/3/4/5/6/7/8/ /1/2/3/4/5/6/7/ /1/2/3/4/5/6/ /1/2/3/4/5/ /1/2/3/4/ /1/2/3/ /1/2/ /1/",
	} {
		var all []string
		for _, u := range parents(&url.URL{Scheme: "https", Host: "a.example:8080", Path: path, RawQuery: "x"}) {
			all = append(all, strings.TrimPrefix(u.String(), "https://a.example:8080"))
		}
		assert.Equal(t, want, strings.Join(all, " "), path)
	}
}

// Excerpts in a row are bounded, and those that are left out are counted.
func TestTogether(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for want, texts := range map[string][]string{
		"": {}, "a, b": {"a", "b"}, x(100) + ", " + x(300): {x(100), x(300)}, x(100) + ", (2 more)": {x(100), x(301), "a"}, "(1 more)": {x(401)},
	} {
		assert.Equal(t, want, together(texts, ", "))
	}
}

// What is unpacked for long ends with the call, also if it names nothing.
func TestReadingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := entries(whileIn{ctx, strings.NewReader("<urlset>")}, new(url.URL))
	assert.ErrorIs(t, err, context.Canceled)
}

// Each piece says which part of the text it is.
func TestPieceTold(t *testing.T) {
	for _, test := range []struct {
		start, length int
		want, told    string
		next          int
	}{
		{0, 5, "äöüß€", "These are all 5 characters of the text.", 0},
		{0, 4, "äöüß", "These are the characters from 0 to 4 of 5. For more, ask with start=4.", 4},
		{1, 2, "öü", "These are the characters from 1 to 3 of 5. For more, ask with start=3.", 3},
		{4, 2, "€", "These are the characters from 4 to the end, at 5.", 0},
		{5, 2, "", "There is nothing at 5: the text has 5 characters.", 0},
	} {
		p := pieceOf("äöüß€", test.start, test.length)
		assert.Equal(t, []string{test.want, test.told, fmt.Sprint(test.next)}, []string{p.text, p.told(), fmt.Sprint(p.next)})
	}
	assert.Equal(t, "These are all 0 characters of the text.", pieceOf("", 0, 5).told())
}

// A time that has come is now.
func TestAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, "1999-12-31T23:00:00Z (in 0s)", at(time.Now().Add(-time.Hour)))
		assert.Equal(t, "2000-01-01T00:01:30Z (in 1m30s)", at(time.Now().Add(90*time.Second)))
	})
}

// A model is told what to write instead of what is no URL.
func TestAddress(t *testing.T) {
	for written, want := range map[string]string{
		"a.example/x":      `"a.example/x" is no URL: write it with its scheme and host, as in https://example.com/page.`,
		"https:///x":       `"https:///x" is no URL: write it with its scheme and host`,
		"http://[":         `"http://[" is no URL: write it with its scheme and host`,
		"ftp://a.example/": "Only URLs that begin with https:// or http:// can be fetched.",
		"https://a.example/" + strings.Repeat("x", longestURL): "The URL is longer than 8000 octets.",
	} {
		_, err := new(service).address(written)
		assert.ErrorContains(t, err, want)
	}
	u, err := new(service).address(" https://a.example/x?y#z ")
	assert.NoError(t, err)
	assert.Equal(t, "https://a.example/x?y", u.String())
}

// The URLs of a piece are bounded in octets, too, and the next piece goes on behind them.
func TestLongURLs(t *testing.T) {
	all := make([]listed, 120)
	for i := range all {
		all[i] = listed{strings.Repeat("x", mostShown/50), i%2 == 1}
	}
	for start, next := range map[int]int{0: 50, 50: 100, 100: 0} {
		var m Sitemap
		m.take(all, SitemapWish{Start: start, Limit: mostURLs})
		assert.Equal(t, []int{120, next, min(50, 120-start)}, []int{m.Total, m.Next, len(m.URLs) + len(m.Sitemaps)})
	}
}

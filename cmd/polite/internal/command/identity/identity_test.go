package identity

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/netip"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func example() *Crawler {
	return &Crawler{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Owner: "Example Ltd", Contact: "bot@example.com",
		Purpose: "It finds recipes for a search engine.", RangesAt: "https://example.com/bot/addresses.json", KeysAt: "https://bot.example.com",
	}
}

// elements returns the elements of a page, with their attributes, and the text in each. It
// fails if the page is not well-formed.
func elements(t *testing.T, page []byte) (all []xml.StartElement, texts map[string][]string) {
	texts = make(map[string][]string)
	var open []string
	for d := xml.NewDecoder(strings.NewReader(string(page))); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			assert.Empty(t, open)
			return all, texts
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			all, open = append(all, token.Copy()), append(open, token.Name.Local)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				texts[open[len(open)-1]] = append(texts[open[len(open)-1]], text)
			}
		}
	}
}

// links returns the values of href.
func links(all []xml.StartElement) (links []string) {
	for _, e := range all {
		for _, a := range e.Attr {
			if a.Name.Local == "href" {
				links = append(links, a.Value)
			}
		}
	}
	return links
}

// The page is well-formed, has a language, a title and headings, and links to what proves who
// the crawler is.
func TestPage(t *testing.T) {
	page, err := example().Page()
	require.NoError(t, err)
	all, texts := elements(t, page)
	assert.Equal(t, []xml.Attr{{Name: xml.Name{Local: "lang"}, Value: "en"}}, all[0].Attr)
	assert.Equal(t, []string{"ExampleBot, a crawler of Example Ltd"}, texts["title"])
	assert.Equal(t, []string{"ExampleBot"}, texts["h1"])
	assert.Equal(t, []string{"Who it is", "Why it comes", "How to block it", "How to verify it"}, texts["h2"])
	assert.Equal(t, "ExampleBot/1.0 (+https://example.com/bot)", texts["code"][0])
	assert.Equal(t, []string{
		"https://example.com/bot/addresses.json", "mailto:bot@example.com", "https://www.rfc-editor.org/rfc/rfc9309.html",
		"https://example.com/bot/addresses.json", "https://bot.example.com/.well-known/http-message-signatures-directory",
	}, links(all))

	c := example()
	c.RangesAt, c.KeysAt, c.Contact = "", "", "https://example.com/contact?a=1&b=2"
	page, err = c.Page()
	require.NoError(t, err)
	all, _ = elements(t, page)
	assert.Equal(t, []string{"https://example.com/contact?a=1&b=2", "https://www.rfc-editor.org/rfc/rfc9309.html", "https://example.com/contact?a=1&b=2"}, links(all))
	assert.Contains(t, string(page), "gives no proof")
}

// The lines on the page block the crawler, and slow it down.
func TestPageBlocks(t *testing.T) {
	page, err := example().Page()
	require.NoError(t, err)
	_, texts := elements(t, page)
	block, slow := robots.Parse([]byte(texts["code"][1])), robots.Parse([]byte(texts["code"][2]))
	assert.False(t, block.Allowed("ExampleBot", "/"))
	assert.True(t, block.Allowed("OtherBot", "/"))
	assert.True(t, slow.Allowed("ExampleBot", "/"))
	delay, ok := slow.Rules("ExampleBot").CrawlDelay()
	assert.True(t, ok)
	assert.Equal(t, 10*time.Second, delay)
	assert.Contains(t, string(page), "repeat its rules", "its group takes the place of the group for all")
}

// Nothing that is given becomes markup or a script.
func TestPageEscapes(t *testing.T) {
	const hostile = `</title></p><script>alert(1)</script>&"'{{.}}`
	c := example()
	c.Owner, c.Purpose = hostile, hostile
	c.RangesAt = `https://example.com/"><script>`
	page, err := c.Page()
	require.NoError(t, err)
	all, texts := elements(t, page)
	usual, err := example().Page()
	require.NoError(t, err)
	expected, _ := elements(t, usual)
	assert.Len(t, all, len(expected))
	assert.Contains(t, texts["p"], hostile)
	assert.NotRegexp(t, regexp.MustCompile(`(?i)<script`), string(page))
}

// What is missing or of no use is an error that names the flag and says what to write.
func TestPageErrors(t *testing.T) {
	for want, change := range map[string]func(*Crawler){
		"-A: UserAgent is empty":       func(c *Crawler) { c.UserAgent = "" },
		"-A: UserAgent \"Ex":           func(c *Crawler) { c.UserAgent = "Example\nBot" },
		"--owner is missing":           func(c *Crawler) { c.Owner = " " },
		"--purpose is missing":         func(c *Crawler) { c.Purpose = "" },
		"--contact is missing":         func(c *Crawler) { c.Contact = "" },
		"--contact is neither":         func(c *Crawler) { c.Contact = "javascript:alert(1)" },
		"write bot@example.com":        func(c *Crawler) { c.Contact = "Bot <bot@example.com>" },
		"--addresses-at: \"http:":      func(c *Crawler) { c.RangesAt = "http://example.com/" },
		"--keys-at: \"https://a.e/b\"": func(c *Crawler) { c.KeysAt = "https://a.e/b" },
		"https://bot.example.com":      func(c *Crawler) { c.KeysAt = "bot.example.com" },
	} {
		c := example()
		change(c)
		_, err := c.Page()
		assert.ErrorContains(t, err, want)
	}
}

// The list can be read back by the words of the draft: one of two fields in each prefix, UTC,
// and an array even if there is nothing in it.
func TestRanges(t *testing.T) {
	var r Ranges
	for _, text := range []string{"2001:db8::/32", "198.51.100.0/24", "192.0.2.7", "198.51.100.0/24", "2001:db8::/48", "192.0.2.0/24"} {
		require.NoError(t, r.Add(text))
	}
	text, err := r.JSON("ExampleBot", time.Date(2026, 11, 23, 23, 30, 0, 5, time.FixedZone("", 3600)))
	require.NoError(t, err)
	var list map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &list))
	assert.Len(t, list, 2)
	assert.Equal(t, `"2026-11-23T22:30:00Z"`, string(list["creationTime"]))
	var prefixes []map[string]any
	require.NoError(t, json.Unmarshal(list["prefixes"], &prefixes))
	var read []string
	for _, p := range prefixes {
		assert.Len(t, p, 2)
		assert.Equal(t, []any{"ExampleBot"}, p["services"])
		for field, bits := range map[string]int{"ipv4Prefix": 32, "ipv6Prefix": 128} {
			if text, ok := p[field].(string); ok {
				prefix, err := netip.ParsePrefix(text)
				require.NoError(t, err)
				assert.Equal(t, bits, prefix.Addr().BitLen())
				read = append(read, text)
			}
		}
	}
	assert.Equal(t, []string{"192.0.2.0/24", "192.0.2.7/32", "198.51.100.0/24", "2001:db8::/32", "2001:db8::/48"}, read)

	text, err = Ranges(nil).JSON("ExampleBot", time.Unix(0, 0))
	require.NoError(t, err)
	assert.JSONEq(t, `{"creationTime": "1970-01-01T00:00:00Z", "prefixes": []}`, string(text))
}

func TestRangesErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "no range", "a": "no range", "192.0.2.0/33": "no range", "1.2.3": "no range", "fe80::1%eth0": "no range", "::ffff:192.0.2.0/120": "no range",
		"192.0.2.1/24": "write 192.0.2.0/24", "0.0.0.0/0": "every address", "::/0": "every address",
		"10.0.0.0/8": "public internet", "127.0.0.1": "public internet", "fe80::/10": "public internet", "fd00::/8": "public internet", "224.0.0.0/4": "public internet", "0.0.0.0": "public internet", "::": "public internet",
	} {
		var r Ranges
		assert.ErrorContains(t, r.Add(text), want, text)
		assert.Empty(t, r)
	}
}

package input

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestExpected(t *testing.T) {
	for _, test := range []struct {
		line string
		want Expectation
		err  string
	}{
		{line: "/a GPTBot allowed", want: Expectation{1, "/a", "GPTBot", []string{"GPTBot"}, true}},
		{line: "\t/a  GPTBot\tDISALLOW  # why", want: Expectation{1, "/a", "GPTBot", []string{"GPTBot"}, false}},
		{line: "/a,GPTBot,allow", want: Expectation{1, "/a", "GPTBot", []string{"GPTBot"}, true}},
		{line: "/a , GPTBot , allowed # b, c", want: Expectation{1, "/a", "GPTBot", []string{"GPTBot"}, true}},
		{line: "/a,b GPTBot allowed", want: Expectation{1, "/a,b", "GPTBot", []string{"GPTBot"}, true}},
		{line: "/a,b,c GPTBot allowed", want: Expectation{1, "/a,b,c", "GPTBot", []string{"GPTBot"}, true}},
		{line: `"/a,b","A-News, A",disallowed`, want: Expectation{1, "/a,b", "A-News, A", []string{"A-News", "A"}, false}},
		{line: "/a#b * allowed", want: Expectation{1, "/a#b", "*", []string{"any-crawler-that-is-not-named"}, true}},
		{line: "/a googlebot-image allowed", want: Expectation{1, "/a", "googlebot-image", []string{"googlebot-image", "Googlebot"}, true}},
		{line: "\uFEFF/a GPTBot allowed", want: Expectation{1, "/a", "GPTBot", []string{"GPTBot"}, true}},
		{line: "/a GPTBot", err: "write a URL, a crawler and a verdict"},
		{line: "/a GPTBot allowed today", err: "write a URL, a crawler and a verdict"},
		{line: "/a GPTBot maybe", err: `"maybe" is no verdict`},
		{line: "/a Gogglebot allowed", err: "no crawler of the name Gogglebot is known: do you mean Googlebot?"},
		{line: "/a,Google Bot,allowed", err: `"Google Bot" is read as Google, the product token that it begins with: do you mean Googlebot?`},
		{line: "/a,My Bot,allowed", err: `"My Bot" is read as My`},
		{line: "/a MyBot allowed", want: Expectation{1, "/a", "MyBot", []string{"MyBot"}, true}},
		{line: "sitemap: x.xml GPTBot allowed", err: "write a list right behind sitemap:, in lower case, as in sitemap:sitemap.xml.gz Googlebot allowed"},
		{line: "Sitemap:x.xml GPTBot allowed", err: "write a list right behind sitemap:, in lower case"},
		{line: "/a GPTBot \u0430llowed", err: `"аllowed" is no verdict, since none has 'а' (U+0430): write allowed or disallowed`},
		{line: "/a,GPTBot,\u0430llowed", err: `"аllowed" is no verdict, since none has 'а' (U+0430): write allowed or disallowed`},
		{line: "\"/a,b\",GPTBot,dis\u0430llowed", err: `"disаllowed" is no verdict, since none has 'а' (U+0430)`},
		{line: "/a,My Bot,alowed", err: `"alowed" is no verdict: write allowed or disallowed`},
		{line: "/a,GPTBot", err: "write a URL, a crawler and a verdict"},
		{line: "sitemap:,GPTBot,allowed", err: "write a list right behind sitemap:"},
		{line: "/\x00a\x00", err: "save it in UTF-8"},
		{line: "/a Gögle allowed", err: `"Gögle" is read as G, the product token that it begins with, since none has 'ö' (U+00F6): write a name of letters from a to z`},
		{line: "/a (x) allowed", err: "it names no crawler"},
		{line: strings.Repeat("x", 2<<20), err: "longer than any URL"},
	} {
		n := 0
		for got, err := range Expected(strings.NewReader(test.line)) {
			n++
			if test.err != "" {
				require.ErrorContains(t, err, test.err)
				continue
			}
			require.NoError(t, err, test.line)
			assert.Equal(t, test.want, got)
		}
		assert.Equal(t, 1, n, "%.40s", test.line)
	}
	for range Expected(strings.NewReader("\uFEFF# x\n# /a GPTBot allowed\n url, Crawler, VERDICT\r\n   \n")) {
		t.Error("nothing is expected")
	}
}

package command

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the commands print to the golden files")

// A play is a command line; "<" precedes what it reads from standard input. The
// names of sites, like SHOP, stand for their URLs, TIME for a time.
var plays = map[string][]string{
	"check": {
		"check -f testdata/shop.txt /private/press",
		"check -f testdata/shop.txt https://shop.example/list?sort=1",
		"check -f testdata/shop.txt /page?next=https://shop.example/",
		"check -f testdata/shop.txt /",
		"check -f testdata/shop.txt /robots.txt",
		"check -f testdata/shop.txt -A ExampleBot /index.html",
		"check -f testdata/shop.txt -A ExampleBot-News,ExampleBot /a",
		"check -f testdata/shop.txt -A Empty /private",
		"check -f - -A a /x < user-agent: a\ncrawl-delay: 90",
		"check -f testdata/slips.txt -A a,b /y",
		"check -f - /x < user-agent: other\ndisallow: /",
		"check -f - /x < <!DOCTYPE html><title>Not found</title>",
		"check -f - /x <",
		"check -f - -A Googlebot-Image /x < user-agent: Googlebot\ncrawl-delay: 5\ndisallow: /x",
		"check -f - -A AdsBot-Google /x < user-agent: *\ndisallow: /x",
		"check -f - -A AdsBot-Google /x < user-agent: AdsBot-Google\ncrawl-delay: 5\ndisallow: /x",
		"check -f testdata/shop.txt /private?",
		"check -f - https://bücher.example/ä < user-agent: *\ndisallow: /ä",
		"check -f testdata/shop.txt -A ExampleBot -- /a",
		"check SHOP/private",
		"check MOVED/private/press",
		"check NONE/private",
		"check SECRET/private",
		"check LOOP/private",
		"check NOWHERE/private",
		"check DOWN/private",
		"check -v -f testdata/shop.txt -A ExampleBot -A other /private",
		"check -f - /a < user-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\nContent-Usage: /a train-ai=y\ndisallow: /x\nuser-agent: GPTBot\ncontent-usage: train-ai=n\ndisallow:",
		"check -f - -A GPTBot /a < user-agent: __usage_ai-training\ndisallow: /",
		"check --json -f - -A GPTBot /a < user-agent: __usage_ai-training\ndisallow: /",
	},
	"sites": {
		"check --sites testdata/sites.txt SHOP/private",
		"check --sites testdata/sites.txt SHOP/private SHOP/robots.txt",
		"check --sites testdata/sites.txt --json SHOP/private",
		"get --no-cache --sites testdata/sites.txt SHOP/private/press",
		"get --no-cache --sites testdata/sites.txt --json SHOP/private/press",
		"check --sites testdata/shop.txt SHOP/private",
		"check --sites testdata/none.txt SHOP/private",
		"check --sites testdata/sites.txt -f testdata/shop.txt /private",
	},
	"check-list": {
		"check SHOP/ SHOP/private SHOP/private/press NONE/x DOWN/x SHOP/robots.txt",
		"check < SHOP/\n\n  SHOP/private \nshop.example/x\nftp://shop.example/\nhttp://:80/",
		"check - < SHOP/",
		"check -f - /private /x < user-agent: *\ndisallow: /x",
		"check -f - /a /x < user-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\nContent-Usage: /a train-ai=y\ndisallow: /x\nuser-agent: GPTBot\ncontent-usage: train-ai=n\ndisallow:",
		"check <",
	},
	"check-table": {
		"check -A ExampleBot-News,ExampleBot -A GPTBot -A AnAgentWithAVeryLongName SHOP/ SHOP/private SHOP/page NONE/x DOWN/x SHOP/robots.txt",
		"check -A GPTBot -A ExampleBot < SHOP/\nno URL",
		"check -f - -A a -A GPTBot -A AdsBot-Google /a /x < user-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\nContent-Usage: /a train-ai=y\ndisallow: /x\nuser-agent: GPTBot\ncontent-usage: train-ai=n\ndisallow:",
	},
	"check-csv": {
		"check --csv SHOP/ SHOP/private NONE/x DOWN/x SHOP/robots.txt",
		"check --csv -f testdata/shop.txt -A GPTBot -A ExampleBot < /private\n=HYPERLINK(1)\n/a?b=\"c,d\" # comment\n# /x",
		"check --csv --json SHOP/",
		"check -q SHOP/private",
		"check --quiet -f testdata/shop.txt /",
		"check --quiet < no URL",
		"check -f testdata/shop.txt -vAGPTBot /private",
	},
	"check-json": {
		"check --json SHOP/private/press",
		"check --json MOVED/page",
		"check --json SHOP/a?b=c&d",
		"check --json -f - /a < user-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\nContent-Usage: /a train-ai=y\ndisallow: /x\nuser-agent: GPTBot\ncontent-usage: train-ai=n\ndisallow:",
		"check --json NONE/x",
		"check --json LOOP/x",
		"check --json DOWN/x",
		"check --json SHOP/robots.txt",
		"check --json -f testdata/shop.txt -A ExampleBot-News,ExampleBot -A nobody /private",
		"check --json < no URL",
	},
	"diff": {
		"diff testdata/shop.txt testdata/shop-new.txt",
		"diff --json testdata/shop.txt testdata/shop-new.txt",
		"diff --markdown testdata/shop.txt testdata/shop-new.txt",
		"diff -A Googlebot-Image -A AdsBot-Google -A * testdata/shop.txt testdata/shop-new.txt",
		"diff --urls - testdata/shop.txt testdata/shop-new.txt < /private\n/privately\nhttps://shop.example/page/2?a\n",
		"diff --urls - testdata/shop.txt testdata/shop-new.txt < /private\nshop.example/x",
		"diff testdata/shop.txt testdata/shop-comment.txt",
		"diff --json testdata/shop.txt testdata/shop-comment.txt",
		"diff --markdown testdata/shop.txt testdata/shop-comment.txt",
		"diff SHOP testdata/shop-comment.txt",
		"diff NONE testdata/shop.txt",
		"diff - DOWN < user-agent: *",
		"diff testdata/none.txt testdata/shop.txt",
		"diff --markdown - testdata/slips.txt < user-agent: *\ndisallow: /[x](https://evil.example)<b>@all|#1\n",
	},
	"expect": {
		"check --expect testdata/expect.txt -f testdata/shop.txt",
		"check --expect testdata/expect-unmet.csv -f testdata/shop.txt",
		"check --json --expect testdata/expect-unmet.csv -f testdata/shop.txt",
		"check --expect - -f testdata/shop.txt < / Googlebot\n/ Googlebot perhaps\n/ Mozilla/5.0 allowed\nx Googlebot allowed\n/private Googlebot allowed",
		"check --expect - -f testdata/shop.txt < # nothing\n\nURL, Crawler, Verdict\n",
		"check --expect - < SHOP/private * disallowed\nSHOP/page GPTBot disallowed\nNONE/x GPTBot allowed\n",
		"check --expect - < DOWN/private * disallowed\nSHOP/page GPTBot disallowed\n",
		"check --expect testdata/none.txt -f testdata/shop.txt",
		"check -q --expect testdata/expect-unmet.csv -f testdata/shop.txt",
		"check --csv --expect testdata/expect.txt -f testdata/shop.txt",
	},
	"run": {
		"run true",
		"run -A ExampleBot",
		"run -A ExampleBot --isolated -- true",
		"run -A ExampleBot --max-wait soon -- true",
		"run -A ExampleBot --browser images -- true",
		"run -A ExampleBot --isolate=false -- true",
		"run -qA ExampleBot --isolate=false true",
		"run -qA ExampleBot --isolate=false false",
		"run -A ExampleBot --isolate=false -- cat - < what is read",
		"run -A ExampleBot -- no-such-command",
		"run -A ExampleBot testdata/shop.txt",
		"run -A ExampleBot testdata",
	},
	"identity": {
		"identity -A ExampleBot/1.0 --owner Example --contact bot@example.com --purpose Recipes --keys-at https://bot.example.com",
		"identity -A ExampleBot/1.0 --address 192.0.2.0/24 --address=2001:db8::1 --json",
		"identity -A ExampleBot/1.0 --owner Example",
		"identity --json",
		"identity -A ExampleBot/1.0 --json --address 192.0.2.1/24",
		"identity ExampleBot",
	},
	"crawlers": {
		"crawlers",
		"crawlers gptbot DotBot",
		"crawlers --json GPTBot DotBot",
		"crawlers --kind ai-training",
		"crawlers anthropic-ai DeepSeekBot",
		"crawlers --kind ai",
		"crawlers --kind seo GPTBot",
		"crawlers Gogglebot",
		"crawlers NoSuchBot",
		"check -f testdata/shop.txt -A Gogglebot /x",
		"check -f testdata/shop.txt -A Google-Bot -A GPTBot -A other /x",
		"diff -A Gogglebot testdata/shop.txt testdata/shop.txt",
	},
	"sitemaps": {
		"records --sitemaps testdata/shop.txt",
		"records --sitemaps --json testdata/shop.txt",
		"records --sitemaps SHOP/any/page",
		"records --sitemaps RELATIVE",
		"records --sitemaps --json RELATIVE",
		"records --sitemaps - < sitemap: a\nsite-map: https://b.example/[1]\nuser-agent: *\n",
		"records --sitemaps - <",
		"records --sitemaps testdata/shop.txt RELATIVE NONE",
		"records --sitemaps --json testdata/shop.txt RELATIVE",
		"records --sitemaps - - <",
	},
	"records": {
		"records testdata/shop.txt",
		"records --json testdata/shop.txt",
		"records MOVED",
		"records - < License: https://example.com/l.xml\ncontent-signal: ai-input=no\nuser-agent: *\nContent-Signal: search=yes, use=full\nContent-Usage: /a/ search=n, draw=y\nContent-Usage: Search=n",
		"records --json - < user-agent: *\nContent-Usage: /a/ search=n, draw=y;x",
		"records testdata/slips.txt - < sitemap: /a",
		"records --json testdata/slips.txt testdata/none.txt - < sitemap: /a",
	},
	"lint": {
		"lint testdata/slips.txt",
		"lint --strict --ignore missing-colon testdata/slips.txt testdata/shop.txt",
		"lint --json testdata/slips.txt",
		"lint --quiet testdata/slips.txt",
		"lint --explain never-wins",
		"lint --explain html",
		"lint --explain neverwins",
		"lint --explain html testdata/slips.txt",
		"lint - < user-agent: *\n# polite-lint: ignore pattern-without-slash\ndisallow: x\ndisallow: y # polite-lint: ignore patern-without-slash",
		"lint SHOP - < user-agent: *",
		"help lint",
	},
}

func TestGolden(t *testing.T) {
	shopText, err := os.ReadFile("testdata/shop.txt")
	require.NoError(t, err)
	shop := newSite(t, origintest.Text(string(shopText)), nil)
	elsewhere := func(next string) map[string]http.HandlerFunc {
		return pages{"/elsewhere": origintest.Redirect(next)}
	}
	var urls, names []string // to be put for the names, and the other way round
	for name, site := range map[string]site{
		"SHOP":     shop,
		"MOVED":    newSite(t, origintest.Redirect("/elsewhere"), elsewhere(shop.URL+"/robots.txt")),
		"LOOP":     newSite(t, origintest.Redirect("/elsewhere"), elsewhere("/robots.txt")),
		"NOWHERE":  newSite(t, origintest.Status(http.StatusFound), nil),
		"SECRET":   newSite(t, origintest.Status(http.StatusForbidden), nil),
		"NONE":     newSite(t, http.NotFound, nil),
		"DOWN":     downSite(t),
		"RELATIVE": newSite(t, origintest.Text("sitemap: /s.xml\nsitemap: s.xml?page=[1-9]\nsitemap: --output=x\nsitemap: ::stop-commands::x\nsitemap: file:///s.xml\n"), nil),
	} {
		urls = append(urls, name, site.URL)
		names = append(names, site.URL, name)
	}
	times := regexp.MustCompile(`"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"`)

	for name, lines := range plays {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			for _, line := range lines {
				b.WriteString("$ polite " + line + "\n" + play(t, strings.NewReplacer(urls...).Replace(line)) + "\n")
			}
			got := times.ReplaceAllString(strings.NewReplacer(names...).Replace(b.String()), `"TIME"`)
			golden(t, name, got)
		})
	}
}

// golden compares got with a golden file, or makes it that.
func golden(t *testing.T, name, got string) {
	file := filepath.Join("testdata", name+".golden")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "go test -update writes it")
}

// play runs a command line, and returns what it prints.
func play(t *testing.T, line string) string {
	line, input, _ := strings.Cut(line, "<")
	got := runWithInput(t, strings.TrimPrefix(input, " "), strings.Fields(line)...)
	transcript := got.stdout
	if got.stderr != "" {
		transcript += "stderr: " + got.stderr
	}
	return transcript + fmt.Sprintf("exit status %d\n", got.status)
}

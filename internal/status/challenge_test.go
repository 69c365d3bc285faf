package status_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/status"
	"github.com/stretchr/testify/assert"
)

// A wall says in a header that its answer is a challenge, whatever the status. Other values are no
// challenge.
func TestChallenge(t *testing.T) {
	for _, test := range []struct {
		name, value string
		is          bool
	}{
		{"Cf-Mitigated", "challenge", true},
		{"Cf-Mitigated", " Challenge ", true},
		{"X-Amzn-Waf-Action", "challenge", true},
		{"X-Amzn-Waf-Action", "captcha", true},
		{"X-Vercel-Mitigated", "challenge", true},
		{"X-Vercel-Mitigated", "deny", false},
		{"Cf-Mitigated", "block", false},
		{"Cf-Mitigated", "", false},
		{"Server", "challenge", false},
	} {
		for _, code := range []int{200, 202, 403, 405, 429, 503} {
			resp := &http.Response{StatusCode: code, Header: http.Header{test.name: {test.value}}}
			assert.Equal(t, test.is, status.IsChallenge(resp.Header), test)
			assert.Equal(t, test.is, status.LoadOf(t.Context(), resp, nil) == limit.Challenged, test)
		}
	}
}

// A page with which a wall answers for a file is told from one of the site, and from other files.
func TestWall(t *testing.T) {
	const anubis = `<script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>`
	for _, test := range []struct {
		name, body string
		is         bool
	}{
		{"Anubis", "<!doctype html><html><head><title>One moment</title>" + anubis, true},
		{"Anubis, below a folder", `<html><img src="/app/.within.website/x/cmd/anubis/static/img/pensive.webp">`, true},
		{"Anubis, with much before", "<html><head>" + strings.Repeat(" ", 2000) + `<script id="anubis_challenge" type="application/json">`, true},
		{"a page after a byte order mark", "\ufeff \r\n<html>" + anubis, true},
		{"Cloudflare", "<html><body><script>(function(){window._cf_chl_opt = {cvId: '3'", true},
		{"AWS WAF", "<html><script>window.awsWafCookieDomainList = [];\nwindow.gokuProps = {", true},
		{"DataDome", `<html><body><script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script>`, true},
		{"HUMAN", `<html><head><meta name="description" content="px-captcha">`, true},
		{"Imperva", `<html><body><iframe id="main-iframe" src="/_Incapsula_Resource?CWUDNSAI=22&xinfo=0">`, true},
		{"Sucuri", "<html><script>var s={},u,c,U,r,i,l=0,a,e=eval,w=String.fromCharCode,sucuri_cloudproxy_js='',S='", true},
		{"DDoS-Guard", `<html><script src="/.well-known/ddos-guard/js-challenge/index.js"></script>`, true},
		{"Akamai", `<html><body><div id="sec-if-cpt-container"></div>`, true},
		{"Fastly", `<html><head><title>Client Challenge</title>`, true},

		{"a page", "<html><p>disallow: /</p>", false},
		{"a page behind Cloudflare", `<html><script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>`, false},
		{"a page with a captcha of Cloudflare", `<html><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script><div class="cf-turnstile">`, false},
		{"a page behind AWS WAF", `<html><script src="https://x.token.awswaf.com/x/challenge.js"></script>`, false},
		{"a page behind DataDome", `<html><meta http-equiv="Content-Security-Policy" content="frame-src https://geo.captcha-delivery.com; script-src https://ct.captcha-delivery.com"><script src="https://js.datadome.co/tags.js"></script>`, false},
		{"a page behind HUMAN", "<html><script>window._pxAppId = 'PX1'</script>", false},
		{"a page behind Imperva", `<html><script src="/_Incapsula_Resource?SWJIYLWA=719d34d31c8e3a6e6fffd425f7e032f3"></script>`, false},
		{"a page that embeds a challenge of Fastly", `<html><head><script src="/_fs-ch-1T1wmsGaOgGaSxcX/challenge.js" defer></script>`, false},
		{"a page that tells of walls at its end", "<html>" + strings.Repeat("<p>text</p>", 400) + anubis, false},
		{"rules", "# " + anubis + "\nuser-agent: *\ndisallow: /\n", false},
		{"nothing", "", false},
	} {
		assert.Equal(t, test.is, status.IsWall([]byte(test.body)), test.name)
	}
}

func TestHTML(t *testing.T) {
	for value, is := range map[string]bool{
		"text/html": true, "text/html; charset=utf-8": true, "Text/HTML;charset=utf-8": true, "text/html ;q": true,
		"": false, "text": false, "text/htm": false, "text/html5": false, "text/plain": false, "application/xhtml+xml": false,
	} {
		assert.Equal(t, is, status.IsHTML(http.Header{"Content-Type": {value}}), value)
	}
	assert.False(t, status.IsHTML(nil))
}

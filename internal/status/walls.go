package status

import (
	"bytes"
	"errors"
	"net/http"
	"strings"
)

// ErrChallenge says that a wall before a site has answered, and not the site: with a test that only a
// browser, or a person, can pass.
var ErrChallenge = errors.New("a challenge for browsers, from a wall before the site")

// headers are those by which the operators of walls say that an answer is a challenge, as they
// document them (November 2026). The names have the form of the keys of an http.Header.
var headers = [...]struct {
	name   string
	values []string
}{
	{"Cf-Mitigated", []string{"challenge"}},                 // Cloudflare, "Detect a Challenge Page response"
	{"X-Amzn-Waf-Action", []string{"challenge", "captcha"}}, // AWS WAF, "CAPTCHA and Challenge action behavior"
	{"X-Vercel-Mitigated", []string{"challenge"}},           // Vercel, "Response headers"
}

// marks are what stands near the beginning of a wall's own page, whatever its status, and on no page of
// the site: of what an operator puts into ordinary pages, too, there is none here. Such are the scripts
// /cdn-cgi/challenge-platform/scripts/ of Cloudflare, challenge.js of AWS WAF and of Fastly,
// /_Incapsula_Resource?SWJIYLWA= of Imperva, tags.js of DataDome, and the widgets of captchas. As of
// November 2026; "pages" are those that people have reported in public.
var marks = [...][]byte{
	[]byte(`id="anubis_challenge"`),                            // Anubis, its web/index.templ; on pages that refuse, too
	[]byte(`/.within.website/x/cmd/anubis/`),                   // Anubis, StaticPath in its anubis.go, on pages of all versions
	[]byte(`/.well-known/.git.gammaspectra.live/git/go-away/`), // go-away, the folder of its challenges
	[]byte(`window._cf_chl_opt`),                               // Cloudflare, pages; they have the header, too, unless a proxy has dropped it
	[]byte(`window.gokuProps = `),                              // AWS WAF, pages; the same
	[]byte(`captcha-delivery.com/c.js`),                        // DataDome, pages with a captcha
	[]byte(`captcha-delivery.com/i.js`),                        // DataDome, pages that look at the device
	[]byte(`content="px-captcha"`),                             // HUMAN (PerimeterX), the page that its enforcers make
	[]byte(`<div id="px-captcha"`),                             // HUMAN, "Customize the challenge page"
	[]byte(`_Incapsula_Resource?CWUDNSAI=`),                    // Imperva, pages that frame a challenge
	[]byte(`sucuri_cloudproxy_js=`),                            // Sucuri, pages that set a cookie by a script
	[]byte(`/.well-known/ddos-guard/js-challenge/`),            // DDoS-Guard, pages
	[]byte(`sec-if-cpt-container`),                             // Akamai, pages
	[]byte(`<title>Client Challenge</title>`),                  // Fastly, pages; sites may embed what is in their /_fs-ch- folder
}

// IsChallenge reports whether the header of an answer says that it is a challenge, whatever its status.
func IsChallenge(header http.Header) bool {
	for i := range headers {
		for _, value := range header[headers[i].name] {
			for _, is := range headers[i].values {
				if strings.EqualFold(strings.TrimSpace(value), is) {
					return true
				}
			}
		}
	}
	return false
}

// IsWall reports whether the body of a file that a site keeps for crawlers is the page of a wall instead:
// it begins as a web page does, and has a mark near its beginning.
func IsWall(body []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<")) && new(Look).Finds(body)
}

// IsHTML reports whether the header of an answer says that the body is a web page.
func IsHTML(header http.Header) bool {
	const html = "text/html"
	types := header["Content-Type"]
	if len(types) == 0 || len(types[0]) < len(html) || !strings.EqualFold(types[0][:len(html)], html) {
		return false
	}
	rest := types[0][len(html):]
	return rest == "" || strings.IndexByte("; \t", rest[0]) >= 0
}

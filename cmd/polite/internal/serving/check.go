package serving

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// A check is one kind of finding about how a robots.txt is served. The code that finds it is
// its own, and returns the message: what happens, and what to do instead; or "" if there is
// nothing to say. The example is a dialogue with a site in which the check finds something.
type check struct {
	lint.Check
	example string
	find    func(Site) string
}

// exchange is a part of an example: what is asked for, and the header of the answer. With
// "as" and a User-Agent behind, only that one gets the answer.
func exchange(asked, status string, fields ...string) string {
	head := append([]string{asked, "HTTP/1.1 " + status}, fields...)
	return strings.Join(head, "\n") + "\n\n"
}

// text is an exchange that brings a text.
func text(asked string, fields ...string) string {
	return exchange(asked, "200 OK", append([]string{"Content-Type: text/plain"}, fields...)...) + rules
}

const rules = "User-agent: *\nDisallow: /x\n"

// checks are all checks, by what they look at.
var checks = []check{
	{
		Check:   lint.Check{ID: "unreachable", Severity: lint.Error, Summary: "robots.txt cannot be fetched, so crawlers fetch nothing"},
		example: exchange("GET https://example.com/robots.txt", "503 Service Unavailable"),
		find: func(s Site) string {
			if s.Reason != polite.ReasonUnreachable || errors.Is(s.Err, polite.ErrBreak) {
				return ""
			}
			return fmt.Sprintf("robots.txt %s: crawlers with no copy fetch nothing from the site (RFC 9309 §2.3.1.4); Google stops for 12 hours, and then goes by its last copy; "+
				"answer 200 with the file, or 404 if there is none", said(s.Answer))
		},
	},
	{
		Check:   lint.Check{ID: "redirect-loop", Severity: lint.Error, Summary: "robots.txt redirects in a circle, or too often, so its rules do not count"},
		example: exchange("GET https://example.com/robots.txt", "301 Moved Permanently", "Location: /robots.txt"),
		find: func(s Site) string {
			if s.Reason != polite.ReasonUnavailable || s.Status/100 != 3 {
				return ""
			}
			return fmt.Sprintf("robots.txt %s: crawlers follow five redirects and then take it that there is no file, "+
				"so that everything is allowed (RFC 9309 §2.3.1.2); answer with the file itself", said(s.Answer))
		},
	},
	{
		Check:   lint.Check{ID: "refused", Severity: lint.Warning, Summary: "robots.txt is refused, which allows everything"},
		example: exchange("GET https://example.com/robots.txt", "403 Forbidden"),
		find: func(s Site) string {
			if s.Reason != polite.ReasonUnavailable || s.Status/100 != 4 || isMissing(s.Status) {
				return ""
			}
			return fmt.Sprintf("robots.txt %s, which means the same as no file: everything is allowed (RFC 9309 §2.3.1.3); "+
				`to keep crawlers away, answer 200 with "User-agent: *" and "Disallow: /"`, said(s.Answer))
		},
	},
	{
		Check:   lint.Check{ID: "no-file", Severity: lint.Note, Summary: "there is no robots.txt, which allows everything"},
		example: exchange("GET https://example.com/robots.txt", "404 Not Found"),
		find: func(s Site) string {
			if s.Reason != polite.ReasonUnavailable || !isMissing(s.Status) {
				return ""
			}
			return fmt.Sprintf("robots.txt %s: everything is allowed (RFC 9309 §2.3.1.3)", said(s.Answer))
		},
	},
	{
		Check: lint.Check{ID: "redirected-away", Severity: lint.Warning, Summary: "robots.txt redirects to another site, whose file then counts"},
		example: exchange("GET https://example.com/robots.txt", "301 Moved Permanently", "Location: https://example.net/robots.txt") +
			text("GET https://example.net/robots.txt", `ETag: "1"`),
		find: func(s Site) string {
			from, to := s.way()
			if to == nil || isSameSite(from.Hostname(), to.Hostname()) {
				return ""
			}
			return fmt.Sprintf("robots.txt redirects to %s: that file counts here, too (RFC 9309 §2.3.1.2), so another site decides; "+
				"some crawlers follow no redirect to another host; serve the file here", to.Redacted())
		},
	},
	{
		Check: lint.Check{ID: "redirected", Severity: lint.Note, Summary: "robots.txt redirects, within the site"},
		example: exchange("GET http://example.com/robots.txt", "301 Moved Permanently", "Location: https://example.com/robots.txt") +
			text("GET https://example.com/robots.txt", `ETag: "1"`),
		find: func(s Site) string {
			from, to := s.way()
			if to == nil || !isSameSite(from.Hostname(), to.Hostname()) {
				return ""
			}
			return fmt.Sprintf("robots.txt redirects to %s, whose rules count here, too (RFC 9309 §2.3.1.2)", to.Redacted())
		},
	},
	{
		Check:   lint.Check{ID: "content-type", Severity: lint.Warning, Summary: "robots.txt is not served as text/plain"},
		example: exchange("GET https://example.com/robots.txt", "200 OK", "Content-Type: application/octet-stream", `ETag: "1"`) + rules,
		find: func(s Site) string {
			media, _ := s.mediaType()
			if s.Text == nil || media == "text/plain" {
				return ""
			}
			if media == "" {
				return `the answer has no usable Content-Type; send "text/plain; charset=utf-8" (RFC 9309 §2.3)`
			}
			return fmt.Sprintf(`the Content-Type is %s; send "text/plain; charset=utf-8" (RFC 9309 §2.3)`, brief(media))
		},
	},
	{
		Check:   lint.Check{ID: "charset", Severity: lint.Warning, Summary: "robots.txt is served as something else than UTF-8"},
		example: exchange("GET https://example.com/robots.txt", "200 OK", "Content-Type: text/plain; charset=iso-8859-1", `ETag: "1"`) + rules,
		find: func(s Site) string {
			switch _, charset := s.mediaType(); charset {
			case "", "utf-8", "utf8", "us-ascii":
				return ""
			default:
				return fmt.Sprintf("the Content-Type says charset=%s, but crawlers read the file as UTF-8 (RFC 9309 §2.3); save it as UTF-8, and say so", brief(charset))
			}
		},
	},
	{
		Check:   lint.Check{ID: "kept-briefly", Severity: lint.Note, Summary: "Cache-Control or Expires lets crawlers ask for robots.txt often"},
		example: text("GET https://example.com/robots.txt", `Cache-Control: no-cache`, `ETag: "1"`),
		find: func(s Site) string {
			lifetime := fetch.Lifetime(s.header())
			if s.Text == nil || lifetime < 0 || lifetime >= briefly {
				return ""
			}
			return fmt.Sprintf("%s: crawlers ask again after %s; without it they keep the file for up to a day (RFC 9309 §2.4)",
				s.keeping(), duration(max(lifetime, known.MinAge)))
		},
	},
	{
		Check:   lint.Check{ID: "kept-for-long", Severity: lint.Note, Summary: "Cache-Control or Expires lets crawlers keep robots.txt for more than a day"},
		example: text("GET https://example.com/robots.txt", `Cache-Control: max-age=604800`, `ETag: "1"`),
		find: func(s Site) string {
			lifetime := fetch.Lifetime(s.header())
			if lifetime <= known.MaxAge {
				return ""
			}
			return fmt.Sprintf("%s, so the file holds for %s: crawlers keep it for a day at most (RFC 9309 §2.4), but Google may keep it for longer, "+
				"and sees a change late", s.keeping(), duration(lifetime))
		},
	},
	{
		Check:   lint.Check{ID: "old-copy", Severity: lint.Note, Summary: "a cache on the way, such as a CDN, sends an old copy of robots.txt"},
		example: text("GET https://example.com/robots.txt", `Cache-Control: max-age=86400`, `Age: 86000`, `ETag: "1"`),
		find: func(s Site) string {
			age := fetch.Age(s.header())
			if age < briefly {
				return ""
			}
			return fmt.Sprintf("the answer is a copy that a cache on the way has kept for %s (Age: %s): crawlers see a change of the file that much later; "+
				"they keep this copy for %s (RFC 9111 §4.2)", duration(age), brief(s.header().Get("Age")), duration(s.lifetime()))
		},
	},
	{
		Check:   lint.Check{ID: "no-validator", Severity: lint.Note, Summary: "robots.txt comes with neither ETag nor Last-Modified"},
		example: text("GET https://example.com/robots.txt"),
		find: func(s Site) string {
			if s.Text == nil || cmp.Or(s.header().Get("ETag"), s.header().Get("Last-Modified")) != "" {
				return ""
			}
			return "the answer has neither ETag nor Last-Modified: crawlers cannot ask whether the file has changed, and fetch all of it each time"
		},
	},
	{
		Check:   lint.Check{ID: "not-compressed", Severity: lint.Note, Summary: "a large robots.txt is served without compression"},
		example: text("GET https://example.com/robots.txt", `ETag: "1"`) + strings.Repeat("Disallow: /some/folder/\n", 3000),
		find: func(s Site) string {
			if s.Text == nil || s.Text.Packed || len(s.Text.Body) < worthPacking {
				return ""
			}
			return fmt.Sprintf("the file comes without compression, although gzip was asked for: %s, which gzip makes %s",
				size(len(s.Text.Body)), size(packedSize(s.Text.Body)))
		},
	},
	{
		Check: lint.Check{ID: "other-for-head", Severity: lint.Note, Summary: "HEAD gets another answer than GET"},
		example: text("GET https://example.com/robots.txt", `ETag: "1"`) + "\n" +
			exchange("HEAD https://example.com/robots.txt", "405 Method Not Allowed"),
		find: func(s Site) string {
			status, _ := s.first()
			for _, p := range s.Probes {
				if p.Method == http.MethodHead && p.Status != 0 && p.Status/100 != status/100 {
					return fmt.Sprintf("HEAD gets %s, where GET gets %s; tools that look whether there is a robots.txt ask by HEAD", named(p.Status), s.answered())
				}
			}
			return ""
		},
	},
	{
		Check: lint.Check{ID: "other-for-agents", Severity: lint.Warning, Summary: "another User-Agent gets another robots.txt"},
		example: exchange("GET https://example.com/robots.txt", "403 Forbidden") +
			text("GET https://example.com/robots.txt as Mozilla/5.0"),
		find: func(s Site) string {
			for _, p := range s.Probes {
				if p.Method == http.MethodGet && s.differs(p) {
					return fmt.Sprintf("%q gets %s, where polite gets %s; what crawlers read depends on their names, so that nobody can check it: send all of them one file",
						brief(p.UserAgent), s.told(p), s.answered())
				}
			}
			return ""
		},
	},
	{
		Check: lint.Check{ID: "other-hosts", Severity: lint.Warning, Summary: "the hosts of the site have different files"},
		example: text("GET https://example.com/robots.txt", `ETag: "1"`) + "\n" +
			text("GET https://www.example.com/robots.txt") + "Disallow: /y\n",
		find: func(s Site) string {
			var others []string
			for _, other := range s.Others {
				if told := relation(s.Answer, other); told != same && other.Status != 0 { // else it may have no server
					others = append(others, fmt.Sprintf("%s: %s", other.Origin, told))
				}
			}
			if len(others) == 0 || s.Reason == polite.ReasonUnreachable {
				return ""
			}
			return strings.Join(others, "; ") + "; each file counts for its own host alone (RFC 9309 §2.3): serve one, or redirect to one"
		},
	},
	{
		Check:   lint.Check{ID: "sitemap-elsewhere", Severity: lint.Note, Summary: "a sitemap is of another host"},
		example: text("GET https://example.com/robots.txt", `ETag: "1"`) + "Sitemap: https://example.net/sitemap.xml\n",
		find: func(s Site) string {
			if s.Text == nil {
				return ""
			}
			own, _ := url.Parse(s.RobotsURL)
			for sitemap := range s.Text.File().Sitemaps() {
				if u, err := url.Parse(sitemap); err == nil && origin.IsHTTP(u) && hostOf(u) != hostOf(own) {
					return fmt.Sprintf("the file names a sitemap of another host, %q; it may list pages of this host, as this file names it, and pages of another only if the robots.txt there names it, too (sitemaps.org)", brief(sitemap))
				}
			}
			return ""
		},
	},
}

// Checks returns all checks about serving, grouped by what they look at. Their IDs differ
// from those of [lint.Checks].
func Checks() (all []lint.Check) {
	for _, c := range checks {
		all = append(all, c.Check)
	}
	return all
}

// Example returns a dialogue with a site in which the check with an ID finds something: what
// is asked for, and what is answered. If there is no such check, it returns "".
func Example(id string) string {
	for _, c := range checks {
		if c.ID == id {
			return c.example
		}
	}
	return ""
}

// Findings returns what is wrong with how a site serves its robots.txt, or may be. They are
// about no line: their Line is 0.
func Findings(s Site) (findings []lint.Finding) {
	for _, c := range checks {
		if message := c.find(s); message != "" {
			findings = append(findings, lint.Finding{ID: c.ID, Severity: c.Severity, Message: printable.Text(message)})
		}
	}
	return findings
}

// isMissing reports whether a status says that there is no such file, and not that it is
// refused.
func isMissing(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone
}

// way returns where robots.txt was asked for, and the URL of the file that came. If there was
// no redirect, or no file, they are nil.
func (s Site) way() (from, to *url.URL) {
	from, err := url.Parse(s.RobotsURL)
	to, failed := url.Parse(robotstxt.At(s.Decision))
	if cmp.Or(err, failed) != nil || len(s.Hops) == 0 || s.Reason == polite.ReasonUnavailable && s.Status/100 == 3 {
		return nil, nil
	}
	return from, to
}

// mediaType returns the media type of the file and its charset, in lower case. Each may be "".
func (s Site) mediaType() (media, charset string) {
	media, parameters, _ := mime.ParseMediaType(s.header().Get("Content-Type"))
	return media, strings.ToLower(parameters["charset"])
}

// keeping returns what the header says of how long the file is kept, as the beginning of a sentence.
func (s Site) keeping() string {
	if own := (http.Header{"Cache-Control": s.header()["Cache-Control"]}); fetch.Lifetime(own) >= 0 {
		return "Cache-Control says " + brief(own.Get("Cache-Control"))
	}
	return "Expires says " + brief(s.header().Get("Expires"))
}

// brief returns the beginning of a value that a site has sent.
func brief(value string) string { return fmt.Sprintf("%.60s", value) }

// briefly is a lifetime in which a site gets many requests for robots.txt.
const briefly = time.Hour

// worthPacking is the size from which compression saves more than a packet or two.
const worthPacking = 50 << 10

// packedSize returns how many octets a body has with gzip.
func packedSize(body []byte) int {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(body) // to memory, which does not fail
	w.Close()
	return packed.Len()
}

// duration tells a time in the largest unit of which it is a whole number.
func duration(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		name string
		of   time.Duration
	}{{"day", day}, {"hour", time.Hour}, {"minute", time.Minute}} {
		if n := d / unit.of; n > 0 && d%unit.of == 0 {
			if n == 1 {
				return "1 " + unit.name
			}
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}

// size tells a number of octets.
func size(n int) string {
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}

// differs reports whether the answer to a probe leads to other rules than the one to polite.
func (s Site) differs(p Probe) bool {
	status, body := s.first()
	switch {
	case p.Status == 0:
		return false
	case p.Status/100 != status/100:
		return true
	default:
		return p.Status/100 == 2 && !saySame(p.Body, body)
	}
}

// told tells what a probe got.
func (s Site) told(p Probe) string {
	if status, _ := s.first(); p.Status/100 == 2 && status/100 == 2 {
		return "another file"
	}
	return named(p.Status)
}

// answered tells what polite got before any redirect.
func (s Site) answered() string {
	switch status, _ := s.first(); {
	case status/100 == 3:
		return "a redirect"
	case status == 0:
		return "no answer"
	default:
		return named(status)
	}
}

// named returns a status with what it says.
func named(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}

func hostOf(u *url.URL) string {
	o, _ := origin.OfURL(u)
	return o.Host
}

// same is the relation of an origin with the same rules.
const same = "the same rules"

// relation tells which rules count at another origin than that of a.
func relation(a, other Answer) string {
	switch {
	case other.Reason == polite.ReasonUnreachable:
		return "robots.txt " + said(other)
	case other.Reason == polite.ReasonUnavailable && a.Reason == polite.ReasonUnavailable:
		return same
	case other.Reason == polite.ReasonUnavailable:
		return "no rules, as robots.txt " + said(other)
	case a.Text == nil || other.Text == nil:
		return "rules of its own"
	case saySame(a.Text.Body, other.Text.Body):
		return same
	default:
		return "other rules"
	}
}

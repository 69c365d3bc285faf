package serving

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots/lint"
)

var otherForHead = check{
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
}

var otherForAgents = check{
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

var otherHosts = check{
	Check: lint.Check{ID: "other-hosts", Severity: lint.Warning, Summary: "the hosts of the site have different files"},
	example: text("GET https://example.com/robots.txt", `ETag: "1"`) + "\n" +
		text("GET https://www.example.com/robots.txt") + "Disallow: /y\n",
	find: func(s Site) string {
		var others []string
		for _, other := range s.Others {
			if deviates(s.Answer, other) {
				others = append(others, fmt.Sprintf("%s: %s", other.Origin, relation(s.Answer, other)))
			}
		}
		if len(others) == 0 {
			return ""
		}
		return strings.Join(others, "; ") + "; each file counts for its own host alone (RFC 9309 §2.3): serve one, or redirect to one"
	},
}

var otherSitemaps = check{
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
}

func hostOf(u *url.URL) string {
	o, _ := origin.OfURL(u)
	return o.Host
}

// deviates reports whether crawlers go by other rules at another origin. An origin without a
// server has none.
func deviates(a, other Answer) bool {
	if a.Reason == polite.ReasonUnreachable || other.Status == 0 {
		return false
	}
	return relation(a, other) != same
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

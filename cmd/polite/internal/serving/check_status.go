package serving

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots/lint"
)

var unreachable = check{
	Check:   lint.Check{ID: "unreachable", Severity: lint.Error, Summary: "robots.txt cannot be fetched, so crawlers fetch nothing"},
	example: exchange("GET https://example.com/robots.txt", "503 Service Unavailable"),
	find: func(s Site) string {
		if s.Reason != polite.ReasonUnreachable || errors.Is(s.Err, polite.ErrBreak) {
			return ""
		}
		return fmt.Sprintf("robots.txt %s: crawlers with no copy fetch nothing from the site (RFC 9309 §2.3.1.4); Google stops for 12 hours, and then goes by its last copy; "+
			"answer 200 with the file, or 404 if there is none", said(s.Answer))
	},
}

var redirectedTooOften = check{
	Check:   lint.Check{ID: "redirect-loop", Severity: lint.Error, Summary: "robots.txt redirects in a circle, or too often, so its rules do not count"},
	example: exchange("GET https://example.com/robots.txt", "301 Moved Permanently", "Location: /robots.txt"),
	find: func(s Site) string {
		if s.Reason != polite.ReasonUnavailable || s.Status/100 != 3 {
			return ""
		}
		return fmt.Sprintf("robots.txt %s: crawlers follow five redirects and then take it that there is no file, "+
			"so that everything is allowed (RFC 9309 §2.3.1.2); answer with the file itself", said(s.Answer))
	},
}

var refused = check{
	Check:   lint.Check{ID: "refused", Severity: lint.Warning, Summary: "robots.txt is refused, which allows everything"},
	example: exchange("GET https://example.com/robots.txt", "403 Forbidden"),
	find: func(s Site) string {
		if s.Reason != polite.ReasonUnavailable || s.Status/100 != 4 || isMissing(s.Status) {
			return ""
		}
		return fmt.Sprintf("robots.txt %s, which means the same as no file: everything is allowed (RFC 9309 §2.3.1.3); "+
			`to keep crawlers away, answer 200 with "User-agent: *" and "Disallow: /"`, said(s.Answer))
	},
}

var noFile = check{
	Check:   lint.Check{ID: "no-file", Severity: lint.Note, Summary: "there is no robots.txt, which allows everything"},
	example: exchange("GET https://example.com/robots.txt", "404 Not Found"),
	find: func(s Site) string {
		if s.Reason != polite.ReasonUnavailable || !isMissing(s.Status) {
			return ""
		}
		return fmt.Sprintf("robots.txt %s: everything is allowed (RFC 9309 §2.3.1.3)", said(s.Answer))
	},
}

// isMissing reports whether a status says that there is no such file, and not that it is
// refused.
func isMissing(status int) bool {
	return status == http.StatusNotFound || status == http.StatusGone
}

var redirectedAway = check{
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
}

var redirected = check{
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
}

// way returns where robots.txt was asked for, and the URL of the file that came. If there was
// no redirect, or no file, to is nil.
func (s Site) way() (from, to *url.URL) {
	from, err := url.Parse(s.RobotsURL)
	if err != nil || len(s.Hops) == 0 || s.Reason == polite.ReasonUnavailable && s.Status/100 == 3 {
		return from, nil
	}
	if to, err = url.Parse(s.At()); err != nil {
		return from, nil
	}
	return from, to
}

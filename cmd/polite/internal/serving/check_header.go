package serving

import (
	"cmp"
	"compress/gzip"
	"fmt"
	"mime"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/robots/lint"
)

// mediaType returns the media type of the file and its charset, in lower case. Each may be "".
func (s Site) mediaType() (media, charset string) {
	media, parameters, _ := mime.ParseMediaType(s.header().Get("Content-Type"))
	return media, strings.ToLower(parameters["charset"])
}

var contentType = check{
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
}

var charset = check{
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
}

// brief returns the beginning of a value that a site has sent.
func brief(value string) string { return fmt.Sprintf("%.60s", value) }

// briefly is a lifetime in which a site gets many requests for robots.txt.
const briefly = time.Hour

var keptBriefly = check{
	Check:   lint.Check{ID: "kept-briefly", Severity: lint.Note, Summary: "Cache-Control lets crawlers ask for robots.txt often"},
	example: text("GET https://example.com/robots.txt", `Cache-Control: no-cache`, `ETag: "1"`),
	find: func(s Site) string {
		if s.Text == nil || s.lifetime() >= briefly {
			return ""
		}
		return fmt.Sprintf("Cache-Control says %s: crawlers ask again after %s; without it they keep the file for up to a day (RFC 9309 §2.4)",
			brief(s.header().Get("Cache-Control")), duration(s.lifetime()))
	},
}

var keptForLong = check{
	Check:   lint.Check{ID: "kept-for-long", Severity: lint.Note, Summary: "Cache-Control lets crawlers keep robots.txt for more than a day"},
	example: text("GET https://example.com/robots.txt", `Cache-Control: max-age=604800`, `ETag: "1"`),
	find: func(s Site) string {
		age := fetch.MaxAge(s.header())
		if age <= known.MaxAge {
			return ""
		}
		return fmt.Sprintf("Cache-Control says that the file holds for %s: crawlers keep it for a day at most (RFC 9309 §2.4), but Google may keep it for longer, "+
			"and sees a change late", duration(age))
	},
}

var noValidator = check{
	Check:   lint.Check{ID: "no-validator", Severity: lint.Note, Summary: "robots.txt comes with neither ETag nor Last-Modified"},
	example: text("GET https://example.com/robots.txt"),
	find: func(s Site) string {
		if s.Text == nil || cmp.Or(s.header().Get("ETag"), s.header().Get("Last-Modified")) != "" {
			return ""
		}
		return "the answer has neither ETag nor Last-Modified: crawlers cannot ask whether the file has changed, and fetch all of it each time"
	},
}

// worthPacking is the size from which compression saves more than a packet or two.
const worthPacking = 50 << 10

var notCompressed = check{
	Check:   lint.Check{ID: "not-compressed", Severity: lint.Note, Summary: "a large robots.txt is served without compression"},
	example: text("GET https://example.com/robots.txt", `ETag: "1"`) + strings.Repeat("Disallow: /some/folder/\n", 3000),
	find: func(s Site) string {
		if s.Text == nil || s.Text.Packed || len(s.Text.Body) < worthPacking {
			return ""
		}
		return fmt.Sprintf("the file comes without compression, although gzip was asked for: %s, which gzip makes %s",
			size(len(s.Text.Body)), size(packedSize(s.Text.Body)))
	},
}

// packedSize returns how many octets a body has with gzip.
func packedSize(body []byte) int {
	var n counter
	w := gzip.NewWriter(&n)
	w.Write(body) // to memory, which does not fail
	w.Close()
	return int(n)
}

// A counter is a Writer that counts.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
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

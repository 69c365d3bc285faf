package usage

import (
	"strings"
	"time"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// parseDate reads a date in one of the forms that Google names for unavailable_after: of
// RFC 822 and RFC 850, with or without the weekday, and of ISO 8601. A date without a
// zone is in UTC, and one without a time is the beginning of that day.
func parseDate(text string) (time.Time, bool) {
	if len(text) > 64 {
		return time.Time{}, false
	}
	if weekday, date, ok := strings.Cut(text, ","); ok && isLetters(weekday) {
		text = strings.TrimSpace(date)
	}
	text = withOffset(text)
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

var dateLayouts = []string{
	"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006",
	"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700",
	"2-Jan-06 15:04:05 -0700", "2-Jan-2006 15:04:05 -0700",
}

// withOffset returns a date with the zone at its end as a number. Package time knows only
// the names of the local zone.
func withOffset(date string) string {
	i := strings.LastIndexByte(date, ' ')
	if offset, ok := zones[strings.ToUpper(date[i+1:])]; ok && i > 0 {
		return date[:i+1] + offset
	}
	return date
}

// zones are the zones of RFC 822 §5.1.
var zones = map[string]string{
	"UT": "+0000", "GMT": "+0000", "UTC": "+0000", "Z": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600",
	"CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
}

func isLetters(s string) bool { return s != "" && syntax.TokenEnd(s, isLetter) == len(s) }

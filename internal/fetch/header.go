package fetch

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/quota"
)

func validators(at *url.URL, header http.Header) Validators {
	etag, date := header.Get("ETag"), header.Get("Last-Modified")
	if len(etag) > maxText || len(date) > maxText {
		return Validators{}
	}
	// They may be parts of a header that is much longer.
	return Validators{URL: at.String(), ETag: strings.Clone(etag), LastModified: strings.Clone(date)}
}

// of returns v if it is what at is to be asked for a change of, else zero.
func (v Validators) of(at *url.URL) Validators {
	if v.ETag == "" && v.LastModified == "" || v.URL != at.String() {
		return Validators{}
	}
	return v
}

// condition makes a request conditional on a change (RFC 9110 §13.1).
func (v Validators) condition(header http.Header) {
	if v.ETag != "" {
		header.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		header.Set("If-Modified-Since", v.LastModified)
	}
}

// errMistaken says that an answer is about the conditions of the request, or about
// something else than what is known, and not about robots.txt.
var errMistaken = errors.New("not modified, but not what is known")

// doubted reports whether a status may be about the conditions that v makes, and
// another come without them: 412 is, and a server that knows no conditions, or finds
// them too long, says one of the others.
func (v Validators) doubted(status int) bool {
	switch status {
	case http.StatusPreconditionFailed, http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented:
		return v != Validators{}
	}
	return false
}

// confirm returns what is known after a 304 with header, or errMistaken if that
// is of another version (RFC 9111 §4.3.4).
func (v Validators) confirm(header http.Header) (Validators, error) {
	etag := header.Get("ETag")
	if etag != "" && v.ETag != "" && strings.TrimPrefix(etag, "W/") != strings.TrimPrefix(v.ETag, "W/") {
		return v, errMistaken
	}
	return v, nil
}

// MaxAge returns how long an answer says that it is fresh; a negative value if
// it does not. What must not be kept is not fresh.
func MaxAge(header http.Header) time.Duration {
	age := time.Duration(-1)
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch strings.TrimSpace(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if n, ok := quota.Seconds(strings.Trim(value, `" `)); ok {
				age = n
			}
		}
	}
	return age
}

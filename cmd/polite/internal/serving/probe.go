package serving

import (
	"bytes"
	"context"
	"net/url"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
)

// A Probe is what came back when robots.txt was asked for in another way than crawlers do.
// Redirects are not followed.
type Probe struct {
	Method    string
	UserAgent string
	Status    int // 0 if no answer came
	Location  string
	Body      []byte // of a 2xx
}

// VetAgent returns the error of a User-Agent in whose name nobody can ask.
func VetAgent(userAgent string) error {
	_, err := (&polite.Transport{UserAgent: userAgent}).Check(context.Background(), &url.URL{Scheme: "https", Host: "localhost", Path: "/robots.txt"})
	return err
}

// saySame reports whether two texts differ in nothing but comments and blank lines. Some
// sites write the time of the request into a comment.
func saySame(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(bare(a), bare(b))
}

// bare returns a text without comments and blank lines.
func bare(body []byte) []byte {
	var all []byte
	for _, line := range robots.Lines(body) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		if line = bytes.TrimSpace(line); len(line) > 0 {
			all = append(append(all, line...), '\n')
		}
	}
	return all
}

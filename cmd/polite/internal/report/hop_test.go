package report

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
)

func TestReportWait(t *testing.T) {
	in := func(wait time.Duration) time.Time { return time.Now().Add(wait) }
	for _, test := range []struct {
		name string
		json bool
		d    polite.Decision
		told bool
	}{
		{"long", false, polite.Decision{Allowed: true, Start: in(time.Hour)}, true},
		{"not worth a word", false, polite.Decision{Allowed: true, Start: in(longWait / 2)}, false},
		{"not at all", false, polite.Decision{Allowed: true}, false},
		{"is not sent", false, polite.Decision{Start: in(time.Hour)}, false},
		{"to a program", true, polite.Decision{Allowed: true, Start: in(time.Hour)}, false},
	} {
		var w bytes.Buffer
		Report{W: &w, JSON: test.json}.Wait(test.d)()
		assert.Equal(t, test.told, strings.HasPrefix(w.String(), "waiting 1h0m0s: "), "%s: %q", test.name, w.String())
		assert.Equal(t, test.told, w.Len() > 0, test.name)
	}
}

func TestReportFailure(t *testing.T) {
	for _, test := range []struct {
		json bool
		want string
	}{
		{false, "polite get: close page: no space left on device\n"},
		{true, `{"error":"close page: no space left on device"}` + "\n"},
	} {
		var w bytes.Buffer
		Report{W: &w, JSON: test.json}.Failure(errors.New("close page: no space left on device"))
		assert.Equal(t, test.want, w.String())
	}
}

// A wait of a second is worth a word.
func TestBreak(t *testing.T) {
	var b strings.Builder
	tell := Break(&b)
	tell("https://a.example", time.Second-1)
	assert.Empty(t, b.String())
	tell("https://a.example", time.Second)
	assert.Contains(t, b.String(), "waiting 1s")
}

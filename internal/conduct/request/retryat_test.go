package request

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// RetryAt tells of each refusal that is only for now what to ask for again, and when: at that time
// the request is sent, if the site is well.
func TestRetryAt(t *testing.T) {
	for _, err := range []error{&polite.DelayError{}, &polite.NoRulesError{}} {
		_, _, ok := polite.RetryAt(err)
		assert.False(t, ok, "nobody knows the time")
	}
	for _, test := range []struct {
		name, page, again string // again is "" if there is no use in it
		after, jitter     time.Duration
	}{
		{"a turn that comes late", "http://slow.example/1", "http://slow.example/1", 30 * time.Second, 0},
		{"a hop that comes late", "http://example.com/moved", "http://slow.example/1", 30 * time.Second, 0},
		{"no rules", "http://user:secret@down.example/", "http://user:secret@down.example/", 45 * time.Second, 15 * time.Second},
		{"rules that come late", "http://late.example/", "http://late.example/", 9 * time.Second, time.Second},
		{"a rule", "http://example.com/private", "", 0, 0},
		{"a broken connection", "http://example.com/reset", "", 0, 0},
		{"no error", "http://example.com/", "", 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(conduct.Rules))
				web.Page("example.com", "/moved", origintest.Redirect("http://slow.example/1"))
				web.Page("example.com", "/reset", origintest.Reset)
				web.Robots("slow.example", conduct.Delayed(30))
				web.Robots("late.example", origintest.Delay(15*time.Second, origintest.Text(conduct.Rules)))
				web.Robots("down.example", origintest.Status(503), origintest.Text(conduct.Rules))
				transport := conduct.NewTransport(t, web)
				transport.Policy.Timeout = 20 * time.Second
				client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
				_, err := conduct.Get(client, "http://slow.example/0")
				assert.NoError(t, err)
				_, err = conduct.Get(client, test.page)

				for _, err := range []error{err, wrapped(err)} {
					url, at, ok := polite.RetryAt(err)
					assert.Equal(t, test.again != "", ok, "%v", err)
					if ok {
						assert.Equal(t, test.again, url.String())
						left := time.Until(at)
						assert.True(t, test.after <= left && left <= test.after+test.jitter, "%v", left)
					}
				}
				if url, at, ok := polite.RetryAt(err); ok {
					time.Sleep(time.Until(at))
					_, err = conduct.Get(client, url.String())
					assert.NoError(t, err, "later")
				}
			})
		})
	}
}

// wrapped returns err inside others, or nil.
func wrapped(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("page 1: %w", errors.Join(errors.New("another"), err))
}

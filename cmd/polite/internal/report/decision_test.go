package report

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
)

func TestAnswer(t *testing.T) {
	const unavailable, unreachable = polite.ReasonUnavailable, polite.ReasonUnreachable
	tooMany := errors.New("too many redirects")
	for want, d := range map[string]polite.Decision{
		"answered 404 Not Found":                                            {Reason: unavailable, Status: 404},
		"answered 599":                                                      {Reason: unreachable, Status: 599},
		"answered 302 Found, which leads nowhere":                           {Reason: unreachable, Status: 302},
		"redirects to itself":                                               {Reason: unavailable, Status: 301, Err: tooMany},
		"redirects in a circle":                                             {Reason: unavailable, Status: 301, Err: tooMany, Hops: make([]string, 4)},
		"redirects more than 5 times, or in a circle":                       {Reason: unavailable, Status: 301, Err: tooMany, Hops: make([]string, 5)},
		"could not be fetched: no such host":                                {Reason: unreachable, Err: errors.New("no such host")},
		"could not be fetched: the answer was cut short":                    {Reason: unreachable, Status: 200, Err: fmt.Errorf("read: %w", io.ErrUnexpectedEOF)},
		"could not be fetched: the connection was closed without an answer": {Reason: unreachable, Err: io.EOF},
	} {
		assert.Equal(t, want, Answer(d))
	}
}

func TestWaiting(t *testing.T) {
	for _, test := range []struct {
		delay, siteDelay, wait time.Duration
		paced                  bool
		want                   string
	}{
		{5 * time.Second, 5 * time.Second, 4999 * time.Millisecond, false, "waiting 5s: crawl-delay of 5s asked by https://a.example"},
		{30 * time.Second, time.Minute, 29 * time.Second, false, "waiting 29s: crawl-delay of 1m0s asked by https://a.example"},
		{0, 0, 2 * time.Minute, false, "waiting 2m0s: a break (Retry-After) asked by https://a.example"},
		{5 * time.Second, 5 * time.Second, time.Minute, false, "waiting 1m0s: a break (Retry-After) asked by https://a.example"},
		{5 * time.Second, 0, 5 * time.Second, true, "waiting 5s: delay of 5s set for https://a.example"},
		{5 * time.Second, 5 * time.Second, 5 * time.Second, true, "waiting 5s: crawl-delay of 5s asked by https://a.example"},
		{5 * time.Second, 0, time.Minute, true, "waiting 1m0s for a turn at https://a.example"},
	} {
		d := polite.Decision{Origin: "https://a.example", Gap: test.delay, CrawlDelay: test.siteDelay}
		assert.Equal(t, test.want, waiting(d, test.wait, test.paced))
	}
	for want, d := range map[string]polite.Decision{
		"waiting 8s: the site is busy: 1 request at a time, one every 2s at https://a.example": {Gap: 2 * time.Second, Limit: polite.Limit{Trouble: polite.TroubleBusy, Window: 1, Gap: 2 * time.Second}},
		"waiting 8s: a break (Retry-After) asked by https://a.example":                         {Gap: 2 * time.Second, Limit: polite.Limit{Trouble: polite.TroubleBusy, Asked: true, Window: 1, Gap: 2 * time.Second}},
		"waiting 8s: the site refuses connections: 1 request at a time at https://a.example":   {Limit: polite.Limit{Trouble: polite.TroubleRefused, Window: 1}},
		"waiting 8s: the site bears 3 requests at a time, one every 8.1s at https://a.example": {Gap: 8123456789, Limit: polite.Limit{Window: 3, Gap: 8123456789}},
		"waiting 8s: crawl-delay of 8s asked by https://a.example":                             {Gap: 8 * time.Second, CrawlDelay: 8 * time.Second, Limit: polite.Limit{Window: 3, Gap: 2 * time.Second}},
	} {
		d.Origin = "https://a.example"
		assert.Equal(t, want, waiting(d, 8*time.Second, false))
	}
	assert.Equal(t, "not-http", Reason(polite.Decision{Reason: polite.ReasonNotHTTP}))
	now := time.Now()
	left := countdown(polite.Decision{Origin: "https://a.example", Start: now.Add(8 * time.Second), CrawlDelay: 8 * time.Second, Gap: 8 * time.Second}, 8*time.Second, false)
	assert.Equal(t, "waiting 3s for https://a.example: crawl-delay of 8s", left(now.Add(5*time.Second)))
	assert.Equal(t, "waiting 0s for https://a.example: crawl-delay of 8s", left(now.Add(time.Minute)))
}

package report

import (
	"bytes"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// What waits is told once for each reason, to people and to programs.
func TestLanes(t *testing.T) {
	at := func(seconds int64) string { return time.Unix(946684800+seconds, 0).Format(time.RFC3339) } // in a bubble
	for _, test := range []struct {
		json bool
		want string
	}{
		{false, "waiting for http://a.example: there is a gap of 10s between two requests\n" +
			"waiting for http://a.example: the site has asked for a break until " + at(70) + "\n"},
		{true, `{"lane":"http://a.example","waiting":1,"cause":"gap","why":"there is a gap of 10s between two requests","next":"` + at(10) + `"}` + "\n" +
			`{"lane":"http://a.example","waiting":1,"cause":"break","why":"the site has asked for a break until ` + at(70) + `","next":"` + at(70) + `"}` + "\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("a.example", origintest.Text("user-agent: *\ncrawl-delay: 10\n"))
			web.Page("a.example", "/busy", origintest.Status(429, "Retry-After", "60"))
			var w bytes.Buffer
			cache := new(polite.Cache)
			end := Report{W: &w, JSON: test.json}.Lanes(cache)
			client := http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Base: web.Transport(t), Cache: cache}}
			for _, path := range []string{"/", "/busy", "/"} {
				if resp, err := client.Get("http://a.example" + path); assert.NoError(t, err) {
					resp.Body.Close()
				}
			}
			time.Sleep(time.Minute) // on the bubble's clock: nothing waits
			end()
			assert.Equal(t, test.want, w.String())
		})
	}
}

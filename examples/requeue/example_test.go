package requeue_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/examples/requeue"
)

// A crawler whose workers do not wait for slow sites.
func ExampleFetchAll() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "user-agent: *\ncrawl-delay: 0.1\n")
		}
	}))
	defer site.Close()

	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace:      polite.Pace{MaxWait: 20 * time.Millisecond},
	}}
	requeue.FetchAll(client, 2, []string{site.URL + "/a", site.URL + "/b", site.URL + "/c"}, func(_ string, resp *http.Response, err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		fmt.Println(resp.Request.URL.Path, resp.Status)
	})
	// Unordered output:
	// /a 200 OK
	// /b 200 OK
	// /c 200 OK
}

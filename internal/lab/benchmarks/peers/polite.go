package main

import (
	"io"
	"net/http"

	"github.com/go-polite/polite"
)

// byPolite is what a user of polite writes.
func byPolite(base http.RoundTripper, urls []string) {
	client := polite.Wrap(&http.Client{Transport: base}, "ExampleBot/1.0 (+https://example.com/bot)")
	for _, url := range urls {
		resp, err := client.Get(url)
		if err != nil {
			continue
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}

package polite_test

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/go-polite/polite"
)

// A program opens pages in another one, such as a browser. It sees the answers, but it does not
// send the requests itself.
func ExampleTransport_Do() {
	site := newSite()
	defer site.Close()

	open := func(req *http.Request) (*http.Response, error) {
		fmt.Println("opening", req.URL.Path)
		return &http.Response{StatusCode: http.StatusOK}, nil // what the browser tells
	}
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	for _, path := range []string{"/public", "/private/diary"} {
		req, err := http.NewRequest(http.MethodGet, site.URL+path, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := transport.Do(req, open); errors.Is(err, polite.ErrRefused) {
			fmt.Println(path, "is not for us")
		}
	}
	// Output:
	// opening /public
	// /private/diary is not for us
}

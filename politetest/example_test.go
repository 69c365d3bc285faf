package politetest_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/politetest"
)

// What a client asks a site for, and what arrives there.
func Example() {
	t := new(testing.T) // in a test, it is the test's

	site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\n")
	client := site.Client("ExampleBot/1.0 (+https://example.com/bot)")
	for _, path := range []string{"/public", "/private/diary"} {
		resp, err := client.Get(site.URL + path)
		if errors.Is(err, polite.ErrDisallowed) {
			fmt.Println(path, "is disallowed")
			continue
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		resp.Body.Close()
	}
	for _, a := range site.Arrived() {
		fmt.Println(a.Method, a.URI, "arrived from", a.UserAgent)
	}
	// Output:
	// /private/diary is disallowed
	// GET /robots.txt arrived from ExampleBot/1.0 (+https://example.com/bot)
	// GET /public arrived from ExampleBot/1.0 (+https://example.com/bot)
}

// A site on a socket, for a program that makes a client of its own. This one does not
// obey robots.txt.
func ExampleSite_ServeHTTP() {
	t := new(testing.T) // in a test, it is the test's

	site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\n")
	server := httptest.NewServer(site)
	defer server.Close()

	resp, err := http.Get(server.URL + "/private/diary")
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	for _, a := range site.Arrived() {
		fmt.Println(a.URI, "is allowed:", a.Allowed)
	}
	// Output: /private/diary is allowed: false
}

// A page that leads to another site.
func ExampleSite_At() {
	t := new(testing.T) // in a test, it is the test's

	site := politetest.NewSite(t, "")
	other := site.At("other.example", "user-agent: *\ndisallow: /\n")
	site.Page("/moved", http.RedirectHandler(other.URL+"/here", http.StatusFound).ServeHTTP)

	_, err := site.Client("ExampleBot/1.0 (+https://example.com/bot)").Get(site.URL + "/moved")
	fmt.Println(errors.Is(err, polite.ErrDisallowed))
	for _, a := range other.Arrived() {
		fmt.Println(a.Host, a.URI)
	}
	// Output:
	// true
	// other.example /robots.txt
}

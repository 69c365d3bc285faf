package public_test

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/public"
)

// A crawler that follows links from anywhere, but connects to public addresses only,
// and reads a short header only.
func ExampleControl() {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: public.Control}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Base: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true, // a DialContext of one's own would turn it off
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}

	_, err := client.Get("http://127.0.0.1/admin")
	if refused, ok := errors.AsType[*polite.NoRulesError](err); ok {
		fmt.Println(refused.Err)
	}
	// Output: dial tcp 127.0.0.1:80: not an address of the public internet
}

// A policy that lets a robots.txt redirect to one private host, and to no other.
func ExampleRedirect() {
	policy := polite.Policy{CheckRedirect: func(from, to *url.URL) error {
		if to.Host == "robots.corp" {
			return nil
		}
		return public.Redirect(from, to)
	}}

	from := &url.URL{Scheme: "https", Host: "example.com", Path: "/robots.txt"}
	for _, host := range []string{"www.example.com", "robots.corp", "localhost", "[64:ff9b::127.0.0.1]"} {
		err := policy.CheckRedirect(from, &url.URL{Scheme: "https", Host: host, Path: "/robots.txt"})
		fmt.Println(host, err)
	}
	// Output:
	// www.example.com <nil>
	// robots.corp <nil>
	// localhost from a public host to one that is not
	// [64:ff9b::127.0.0.1] from a public host to one that is not
}

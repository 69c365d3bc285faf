package request

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// What an http.Client makes of a transport.
func TestContractClient(t *testing.T) {
	onSockets(t, []check{
		{"301", redirect(301, "/echo"), do("POST", plain, "a=b"), "GET /echo HTTP/1.1 of example.com, length 0"},
		{"302", redirect(302, "/echo"), do("POST", plain, "a=b"), "GET /echo HTTP/1.1 of example.com, length 0"},
		{"303", redirect(303, "/echo"), do("PUT", plain, "a=b"), "GET /echo HTTP/1.1 of example.com, length 0"},
		{"303 of HEAD", redirect(303, "/echo"), do("HEAD", plain, ""), "arrived: HEAD example.com/echo"},
		{"307", redirect(307, "/echo"), do("POST", plain, "a=b"), `POST /echo HTTP/1.1 of example.com, length 3, coding []\nheader map`},
		{"308", redirect(308, "/echo"), do("PUT", plain, "a=b"), "PUT /echo HTTP/1.1 of example.com, length 3"},
		{"308 by HTTP/2", redirect(308, "/echo"), do("PUT", secure, "a=b"), "PUT /echo HTTP/2.0 of example.com, length 3"},
		{"308 that cannot be followed", redirect(308, "/echo"), do("POST", plain, "a=b", once), "308 Permanent Redirect"},
		{"Referer", redirect(302, "/echo"), do("GET", "http://user:secret@example.com/page", ""), "Referer:[http://example.com/page]"},
		{"no Referer from TLS", redirect(302, "http://example.com/echo"), do("GET", secure, ""), "/echo map[Accept-Encoding:[gzip] User-Agent:[ExampleBot/witness]]"},
		{"credentials", redirect(302, "/echo"), do("GET", plain, "", header("Authorization", "secret")), "Authorization:[secret]"},
		{"credentials for another", redirect(302, "http://other.example/echo"), do("GET", plain, "", header("Authorization", "secret")),
			"arrived: GET other.example/echo map[Accept-Encoding:[gzip] Referer:[http://example.com/page] User-Agent:[ExampleBot/witness]]"},
		{"Host", redirect(302, "/echo"), do("GET", "http://192.0.2.1/page", "", host("example.com")), "/echo HTTP/1.1 of example.com"},
		{"cookies", cookie, jar, "Cookie:[id=1]"},
		{"CheckRedirect", redirect(302, "/echo"), checkRedirect(errors.New("no further")), `error: Get "/echo": no further`},
		{"ErrUseLastResponse", redirect(302, "/echo"), checkRedirect(http.ErrUseLastResponse), "302 Found"},
		{"endless redirects", redirect(302, "/page"), do("GET", plain, ""), `error: Get "/page": stopped after 10 redirects`},
		{"no Location", origintest.Status(302), do("GET", plain, ""), "302 Found"},
		{"bad Location", redirect(302, "http://[/"), do("GET", plain, ""), "failed to parse Location header"},
		{"another scheme", redirect(302, "ftp://example.com/"), do("GET", plain, ""), `error: Get "ftp://example.com/": unsupported protocol scheme "ftp"`},
	})
	inMemory(t, []check{
		{"timeout", drained(origintest.Hang), timeout(time.Second), "after 1s, timeout true"},
		{"timeout in the body", origintest.HangAfter("beginning"), timeout(time.Second), "after 1s, timeout true"},
		{"no timeout", nil, timeout(time.Second), "200 OK"},
	})
}

func redirect(status int, location string) http.HandlerFunc {
	return origintest.Status(status, "Location", location)
}

// do sends a request through a client.
func do(method, url, body string, edits ...edit) func(*witness) {
	return func(w *witness) {
		w.do(&http.Client{}, w.request(method, url, append([]edit{again(body)}, edits...)...))
	}
}

func (w *witness) do(client *http.Client, req *http.Request) {
	client.Transport = w.transport
	resp, err := client.Do(req)
	if resp != nil {
		w.note("at %s", resp.Request.URL)
		for hop := resp.Request.Response; hop != nil; hop = hop.Request.Response {
			w.note("after %s of %s", hop.Status, hop.Request.URL)
		}
	}
	w.describe(resp, err)
	w.arrived()
}

// again gives the request a body that can be sent more than once.
func again(body string) edit {
	return with(func(req *http.Request) {
		if body != "" {
			clone, _ := http.NewRequest(req.Method, "", strings.NewReader(body))
			req.Body, req.GetBody, req.ContentLength = clone.Body, clone.GetBody, clone.ContentLength
		}
	})
}

// once lets the body of the request be sent only once.
func once(req *http.Request) *http.Request {
	req.GetBody = nil
	return req
}

// cookie sets a cookie with a redirect.
func cookie(w http.ResponseWriter, r *http.Request) {
	http.SetCookie(w, &http.Cookie{Name: "id", Value: "1", Path: "/"})
	redirect(302, "/echo")(w, r)
}

func jar(w *witness) {
	kept, err := cookiejar.New(nil)
	assert.NoError(w.t, err)
	w.do(&http.Client{Jar: kept}, w.request("GET", plain))
	w.note("kept: %v", kept.Cookies(&url.URL{Scheme: "http", Host: "example.com", Path: "/"}))
}

func checkRedirect(verdict error) func(*witness) {
	return func(w *witness) {
		w.do(&http.Client{CheckRedirect: func(next *http.Request, via []*http.Request) error {
			w.note("to %s, after %d, by %s", next.URL, len(via), next.Response.Status)
			return verdict
		}}, w.request("GET", plain))
	}
}

func timeout(d time.Duration) func(*witness) {
	return func(w *witness) {
		start := time.Now()
		resp, err := (&http.Client{Transport: w.transport, Timeout: d}).Do(w.request("GET", plain))
		if err == nil {
			_, err = fmt.Fscan(resp.Body, new(string), new(string))
			w.note("%s, closed: %v", resp.Status, resp.Body.Close())
		}
		w.note("after %v, timeout %t", time.Since(start), os.IsTimeout(err))
	}
}

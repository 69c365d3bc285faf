// Command signed fetches pages under a signed identity, so that sites can tell who
// asks. robots.txt is asked for under the same identity.
//
//	openssl genpkey -algorithm ed25519 -out key.pem
//	go run . key.pem https://bot.example.com                       # serves the public key
//	go run . key.pem https://bot.example.com https://example.com/  # fetches a page
//
// The first command serves the directory of keys at localhost:8080. Sites ask for it at
// https://bot.example.com/.well-known/http-message-signatures-directory, so a proxy with
// TLS has to pass these requests on.
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/webbotauth"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: signed KEY.pem https://bot.example.com [URL...]")
	}
	identity, err := readIdentity(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) == 3 {
		log.Fatal(serve(identity))
	}
	client := newClient(identity, newBase())
	for _, url := range os.Args[3:] {
		if err := fetch(client, url); err != nil {
			log.Print(err)
		}
	}
}

// newClient returns a client that obeys robots.txt and signs each request. The signer is below
// polite: package webbotauth says why.
func newClient(identity *webbotauth.Identity, base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://bot.example.com)",
		Base:      &webbotauth.Transport{Identity: identity, Base: base},
	}}
}

func newBase() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// readIdentity returns the identity of an origin whose key is in a file.
func readIdentity(file, origin string) (*webbotauth.Identity, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	key, err := webbotauth.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return &webbotauth.Identity{Origin: origin, Keys: []webbotauth.Key{{Signer: key}}}, nil
}

// serve serves the directory of keys until it fails.
func serve(identity *webbotauth.Identity) error {
	mux := http.NewServeMux()
	mux.Handle(webbotauth.DirectoryPath, identity)
	server := &http.Server{Addr: "localhost:8080", Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// fetch fetches a page, and prints the status and the size of the answer.
func fetch(client *http.Client, url string) error {
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	size, err := io.Copy(io.Discard, io.LimitReader(resp.Body, 10<<20))
	fmt.Println(resp.StatusCode, size, url)
	return err
}

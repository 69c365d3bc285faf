// Command signed fetches pages under a signed identity, so that sites can tell who
// asks. robots.txt is asked for under the same identity.
//
//	openssl genpkey -algorithm ed25519 -out key.pem
//	go run . key.pem https://bot.example.com                       # serves the public key
//	go run . key.pem https://bot.example.com https://example.com/  # fetches a page
//
// The first command serves the directory of keys at localhost:8080. Sites ask for it at
// https://bot.example.com/.well-known/http-message-signatures-directory, so a proxy with
// TLS has to pass these requests on. How the second command signs is in identity.go.
package main

import (
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/go-polite/polite"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: signed KEY.pem https://bot.example.com [URL...]")
	}
	id, err := readIdentity(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if len(os.Args) == 3 {
		log.Fatal(serve(id))
	}
	client := newClient(id, newBase())
	for _, url := range os.Args[3:] {
		if err := fetch(client, url); err != nil {
			log.Print(err)
		}
	}
}

// newClient returns a client that obeys robots.txt and signs each request. The signer
// must be below polite:
//
//   - It signs all requests: for robots.txt, for pages, and after redirects.
//   - It signs when the turn of a request has come. A signature that is made before may
//     expire while the request waits.
//   - It signs nothing that polite refuses.
func newClient(id *identity, base http.RoundTripper) *http.Client {
	return &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://bot.example.com)",
		Base:      &signer{id: id, base: base},
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

// A signer signs requests, and sends them through base.
type signer struct {
	id   *identity
	base http.RoundTripper
}

func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	signed := req.Clone(req.Context()) // a RoundTripper does not change the request
	if signed.Header == nil {
		signed.Header = make(http.Header)
	}
	if err := s.id.sign(signed); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return s.base.RoundTrip(signed)
}

// CloseIdleConnections lets http.Client.CloseIdleConnections reach base.
func (s *signer) CloseIdleConnections() {
	if base, ok := s.base.(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

// readIdentity returns the identity whose key is in a file.
func readIdentity(file, origin string) (*identity, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s has no key in PEM", file)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	private, ok := key.(crypto.Signer)
	if !ok {
		return nil, fmt.Errorf("%s: a %T cannot sign", file, key)
	}
	return newIdentity(private, origin)
}

// serve serves the directory of keys until it fails.
func serve(id *identity) error {
	mux := http.NewServeMux()
	mux.Handle("GET "+directoryPath, id)
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

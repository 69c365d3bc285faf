package boltstore_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/boltstore"
)

// crawl is one run of a crawler, with a file in which it remembers.
func crawl(file, page string) error {
	store, err := boltstore.Open(file, boltstore.Options{})
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Cache:     &polite.Cache{Store: store},
	}}
	resp, err := client.Get(page)
	if err == nil {
		err = resp.Body.Close()
	}
	return errors.Join(err, store.Close())
}

// A crawler runs twice. The second run does not ask for robots.txt, and keeps the gap to
// the first one.
func Example_restart() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println("GET", r.URL.Path)
		fmt.Fprintln(w, "user-agent: *\ncrawl-delay: 0.1")
	}))
	defer site.Close()
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	for run := range 2 {
		fmt.Println("run", run+1)
		if err := crawl(filepath.Join(folder, "crawler.db"), site.URL+"/page"); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// run 1
	// GET /robots.txt
	// GET /page
	// run 2
	// GET /page
}

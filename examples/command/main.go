// Command command fetches pages with curl, as a polite crawler: Transport.Do runs curl for a
// request when its turn has come, and learns from the status and the header that curl dumps.
//
//	go run ./examples/command https://example.com/a https://example.com/b
//
// It prints the pages. curl follows no redirect by itself, so that each hop is judged.
//
// The gap counts from the start of curl, which then has to connect: requests can arrive somewhat
// closer together.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/go-polite/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: command URL...")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := &polite.Transport{UserAgent: userAgent}
	for _, url := range os.Args[1:] {
		if err := fetch(ctx, transport, url, os.Stdout); err != nil {
			log.Print(err)
		}
	}
}

// mostHops is how many redirects of a page are followed.
const mostHops = 10

var errHops = errors.New("too many redirects")

// fetch writes the page at url to w.
func fetch(ctx context.Context, transport *polite.Transport, url string, w io.Writer) error {
	for range mostHops + 1 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		page := curl{}
		resp, err := transport.Do(req, page.send)
		if err != nil {
			return err
		}
		next, err := resp.Location()
		switch {
		case err == nil && resp.StatusCode/100 == 3:
			url = next.String()
		case resp.StatusCode != http.StatusOK:
			return fmt.Errorf("%s: %s", url, resp.Status)
		default:
			_, err := w.Write(page.body)
			return err
		}
	}
	return fmt.Errorf("%s: %w", url, errHops)
}

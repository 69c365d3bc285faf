package stage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/redisfleet"
)

// userAgent tells the site which process of the fleet sends a request, also one for robots.txt. A real crawler tells
// no site.
const userAgent = "DemoBot/1.%d (+https://demo.example/bot)"

// Crawl is what each process of the fleet does: it asks a site for pages, until ctx ends or
// in does.
func Crawl(ctx context.Context, server, site string, number int, in io.Reader, out io.Writer) error {
	fleet, err := redisfleet.Open(ctx, server, redisfleet.Options{Prefix: "demo"})
	if err != nil {
		return err
	}
	defer fleet.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: fmt.Sprintf(userAgent, number),
		Base:      new(http.Transport),
		Cache:     &polite.Cache{Store: fleet, Turns: fleet},
	}}
	lines := bufio.NewReader(in)
	if _, err := io.WriteString(out, ready); err != nil {
		return err
	}
	if _, err := lines.ReadString('\n'); err != nil {
		return nil // the demo was ended before it began
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() { // until the process ends
		io.Copy(io.Discard, lines)
		cancel()
	}()
	return pages(ctx, client, site)
}

// pages asks for one page after the other, until ctx ends.
func pages(ctx context.Context, client *http.Client, site string) error {
	for n := 1; ctx.Err() == nil; n++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprint(site, "/page/", n), nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		switch {
		case err == nil:
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		case ctx.Err() != nil:
		case errors.Is(err, polite.ErrRefused):
			time.Sleep(50 * time.Millisecond) // a crawler would put the page off
		default:
			return err
		}
	}
	return nil
}

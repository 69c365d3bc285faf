package stage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/store/redisfleet"
)

// Crawl is what each process of the fleet does: it asks a site for pages, until ctx ends or
// in does.
func Crawl(ctx context.Context, server, site string, number int, in io.Reader, out io.Writer) error {
	fleet, err := redisfleet.Open(ctx, server, redisfleet.Options{Prefix: "demo"})
	if err != nil {
		return err
	}
	defer fleet.Close()
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "DemoBot/1.0 (+https://demo.example/bot)",
		Base:      named{new(http.Transport), strconv.Itoa(number)},
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
		err := get(ctx, client, fmt.Sprint(site, "/page/", n))
		switch {
		case err == nil || ctx.Err() != nil:
		case errors.Is(err, polite.ErrRefused):
			time.Sleep(50 * time.Millisecond) // a crawler would put the page off
		default:
			return err
		}
	}
	return nil
}

func get(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// named says in each request which process sends it, also in those for robots.txt.
type named struct {
	*http.Transport
	name string
}

func (n named) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set(processHeader, n.name)
	return n.Transport.RoundTrip(req)
}

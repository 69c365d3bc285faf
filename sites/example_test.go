package sites_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/sites"
)

func Example() {
	table, err := sites.Parse("sites.txt", `
example.com       delay=2s concurrency=1
*.wiki.example    delay=5s together
intranet.example  agreed
*                 delay=100ms concurrency=8
`)
	if err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Sites:     table.Site,
	}}
	_ = client
}

func ExampleNew() {
	table, err := sites.New(
		sites.Entry{Match: ".example.org", Options: polite.Options{Pace: &polite.Pace{MinDelay: 500 * time.Millisecond, Jitter: 0.5}}},
		sites.Entry{Match: "https://intranet.example", Options: polite.Options{Agreed: true, Basis: "the letter of 2 May"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodGet, "https://www.example.org/", nil)
	fmt.Println(table.Site(req).Pace.MinDelay)
	// Output: 500ms
}

func ExampleParse_mistake() {
	_, err := sites.Parse("sites.txt", "example.com dealy=2s")
	fmt.Println(err)
	// Output:
	// sites.txt:1:13: unknown setting "dealy": write delay
}

// Four seconds between two requests to a host, and half a second between two to an address: it has
// many hosts.
func ExampleByAddress() {
	byAddress := sites.ByAddress(func(context.Context, string, string) ([]netip.Addr, error) { // nil asks DNS
		return []netip.Addr{netip.MustParseAddr("192.0.2.7")}, nil
	})
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace: polite.Pace{
			MinDelay: 4 * time.Second,
			Group:    &polite.Group{Key: byAddress, MinDelay: 500 * time.Millisecond},
		},
	}}
	_ = client
	for _, host := range []string{"a.example.com", "b.example.org"} {
		req, err := http.NewRequest(http.MethodGet, "http://"+host+"/", nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(host, "is at", byAddress(req), "and of", sites.ByDomain(req))
	}
	// Output:
	// a.example.com is at 192.0.2.7 and of example.com
	// b.example.org is at 192.0.2.7 and of example.org
}

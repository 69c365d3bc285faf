package sites_test

import (
	"fmt"
	"log"
	"net/http"
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
		sites.Entry{Match: ".example.org", Site: polite.Site{Pace: &polite.Pace{MinDelay: 500 * time.Millisecond, Jitter: 0.5}}},
		sites.Entry{Match: "https://intranet.example", Site: polite.Site{Agreed: true, Basis: "the letter of 2 May"}},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(table)
	// Output:
	// .example.org delay=500ms jitter=0.5
	// https://intranet.example agreed
}

func ExampleParse_mistake() {
	_, err := sites.Parse("sites.txt", "example.com dealy=2s")
	fmt.Println(err)
	// Output:
	// sites.txt:1:13: unknown setting "dealy": write delay
}

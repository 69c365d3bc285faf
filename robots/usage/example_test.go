package usage_test

import (
	"fmt"
	"net/http"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A file says that pages may be found, but that no model may be trained with them.
func ExampleOf() {
	file := robots.Parse([]byte(`
User-agent: *
Content-Signal: search=yes, ai-train=no
Content-Usage: /press/ search=y
Disallow: /drafts/
`))
	said := usage.Of(file, "https://example.com/news/1", "ExampleBot")
	fmt.Println("search:", said.Allows(usage.Search))
	fmt.Println("input:", said.Allows(usage.AIInput))
	why, _ := said.Why(usage.TrainAI)
	fmt.Printf("training: %v, by line %d: %q\n", why.Preference, why.Line, why)

	// Output:
	// search: yes
	// input: not stated
	// training: no, by line 3: "content-signal: ai-train=no"
}

// A page may say more than its site. No wins.
func ExampleOfHeader() {
	site := usage.Of(robots.Parse([]byte("User-agent: *\nContent-Usage: train-ai=y\n")), "/", "ExampleBot")
	resp := &http.Response{Header: http.Header{"X-Robots-Tag": {"noai, otherbot: noindex"}}}
	page := usage.OfHeader(resp.Header, "ExampleBot")

	both := site.And(page.Statement)
	why, _ := both.Why(usage.TrainAI)
	fmt.Println(why.Preference, why)
	fmt.Println(both.Allows(usage.Search))

	// Output:
	// no x-robots-tag: noai
	// not stated
}

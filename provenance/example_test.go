package provenance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots/usage"
)

// A crawler keeps a Record beside each page, and leaves out pages that are not for training.
func ExampleOf() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "user-agent: *\ncontent-signal: search=yes, ai-train=no\n")
		}
	}))
	defer site.Close()
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	client := &http.Client{Transport: transport}

	resp, err := client.Get(site.URL + "/page")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	record, err := provenance.Of(context.Background(), transport, resp.Request.URL, resp.Header)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("training:", record.Allows(usage.TrainAI), "search:", record.Allows(usage.Search))

	out, _ := json.Marshal(record.Uses[0])
	fmt.Println(string(out))
	// Output:
	// training: no search: yes
	// {"use":"search","allowed":"yes","statement":"content-signal: search=yes","source":"content-signal","line":2}
}

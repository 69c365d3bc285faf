// Command status fetches pages, and shows how its crawler fares: which sites are in a break, what
// waits and why, and whether turns can be had from the store.
//
//	go run ./examples/status https://example.com/ https://example.org/
//	curl http://localhost:8930/
package main

import (
	"cmp"
	"context"
	"html/template"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cache := new(polite.Cache) // with a Store of yours, or a Turns
	client := &http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Cache: cache}}
	go func() { log.Fatal(http.ListenAndServe("localhost:8930", status(cache))) }()
	var fetching sync.WaitGroup
	for _, url := range os.Args[1:] {
		fetching.Go(func() { fetch(ctx, client, url) })
	}
	fetching.Wait()
	<-ctx.Done()
}

func fetch(ctx context.Context, client *http.Client, url string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		log.Print(err)
		return
	}
	resp, err := client.Do(req)
	if err != nil {
		log.Print(err)
		return
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	log.Print(url, ": ", resp.Status)
}

// status returns a page about all that shares a Cache. It names sites: serve it to nobody but the
// owner of the crawler.
func status(cache *polite.Cache) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		lanes := slices.SortedFunc(cache.Lanes(), func(a, b polite.Lane) int {
			return cmp.Or(cmp.Compare(b.Waiting, a.Waiting), cmp.Compare(a.Key, b.Key))
		})
		err := page.Execute(w, map[string]any{
			"Stats": cache.Stats(), "Health": cache.Health(),
			"Lanes": slices.DeleteFunc(lanes, isIdle),
		})
		if err != nil {
			log.Print(err) // the reader has gone
		}
	})
}

// isIdle reports whether there is nothing to tell of a lane.
func isIdle(l polite.Lane) bool {
	limit := l.Limit
	return l.Waiting == 0 && l.Sent == 0 && limit.Until.IsZero()
}

var page = template.Must(template.New("").Funcs(template.FuncMap{"clock": clock}).Parse(`<!DOCTYPE html>
<meta http-equiv="refresh" content="5">
<title>Crawler</title>
<p>{{with .Stats}}{{.Origins}} origins are known, in {{.Bytes}} octets.{{end}}
{{with .Health}}<p>{{if not .Shared}}Turns are those of this process alone.
{{else if .Failing}}<b>Turns fail since {{clock .FailingSince}}: {{.Failing}}</b>
{{else if .Deaf}}<b>Breaks of other processes are not heard since {{clock .Since}}: {{.Err}}</b>
{{else}}Turns are shared, and all is well.{{end}}
{{range .Differences}}<p><b>Another process has {{.Setting}} {{.There}}, and this one {{.Here}}.</b>{{end}}
{{end}}
<table>
<tr><th>lane<th>under way<th>waiting<th>why<th>next<th>break until
{{range .Lanes}}<tr><td>{{.Key}}<td>{{.Sent}}<td>{{.Waiting}}<td>{{.Why}}<td>{{clock .Next}}<td>{{clock .Limit.Until}}
{{end}}</table>
`))

// clock returns a time of this day, or nothing.
func clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.TimeOnly)
}

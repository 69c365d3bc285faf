package request

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// products counts them: each case has a product of its own, as the process remembers them.
var products atomic.Int64

// Whoever makes a Transport for each request is warned once a minute; who shares a Cache, comes
// later or asks other sites is not.
func TestStrangers(t *testing.T) {
	for _, test := range []struct {
		name   string
		hosts  []string // of each Transport in turn
		pause  time.Duration
		shared bool
		warns  int
	}{
		{name: "a Transport for each request", hosts: []string{"a.example", "a.example", "a.example"}, warns: 1},
		{name: "after another site", hosts: []string{"a.example b.example", "c.example b.example"}, warns: 1},
		{name: "many sites", hosts: []string{"a.example", "b.example", "a.example", "b.example"}, warns: 1},
		{name: "again in each minute", hosts: []string{"a.example", "a.example", "a.example", "a.example"}, pause: 40 * time.Second, warns: 2},
		{name: "other sites", hosts: []string{"a.example", "b.example", "c.example"}},
		{name: "ten Transports", hosts: otherSites(10)},
		{name: "many Transports", hosts: otherSites(20), warns: 1},
		{name: "many Transports, one after the other", hosts: otherSites(20), pause: 7 * time.Second},
		{name: "many Transports with a shared Cache", hosts: otherSites(20), shared: true},
		{name: "a minute later", hosts: []string{"a.example", "a.example"}, pause: time.Minute},
		{name: "a shared Cache", hosts: []string{"a.example", "a.example"}, shared: true},
		{name: "one Transport whose fetch fails", hosts: []string{strings.Repeat("down.example ", 5)}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log conduct.Log
				web := origintest.NewInMemory(t)
				web.Robots("down.example", origintest.Status(503))
				var cache *polite.Cache
				if test.shared {
					cache = new(polite.Cache)
				}
				agent := fmt.Sprint("Bot", products.Add(1))
				for _, hosts := range test.hosts {
					transport := conduct.NewTransport(t, web)
					transport.UserAgent, transport.Cache = agent, cache
					transport.Logger = log.Logger(slog.LevelInfo)
					for host := range strings.FieldsSeq(hosts) {
						_, err := conduct.Get(&http.Client{Transport: transport}, "http://"+host+"/")
						if host == "down.example" {
							time.Sleep(50 * time.Second)
							continue
						}
						require.NoError(t, err)
					}
					time.Sleep(test.pause)
				}
				assert.Equal(t, test.warns, strings.Count(log.String(), "share no Cache"), "%s", log.String())
			})
		})
	}
}

// otherSites returns n hosts.
func otherSites(n int) (hosts []string) {
	for i := range n {
		hosts = append(hosts, fmt.Sprint(i, ".example"))
	}
	return hosts
}

// One Transport that asks thousands of sites in a minute, and some of them twice, is not taken for two.
func TestOneTransportIsNoStranger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log conduct.Log
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.UserAgent = fmt.Sprint("WideBot", products.Add(1)) // a second run in this process begins in the same virtual minute
		transport.Logger = log.Logger(slog.LevelInfo)
		client := &http.Client{Transport: transport}
		down := func(i int) string { return fmt.Sprintf("down%d.example", i) }
		for i := range 300 {
			web.Robots(down(i), origintest.Status(503))
			conduct.Get(client, "http://"+down(i)+"/")
		}
		for i := range 1000 {
			conduct.Get(client, fmt.Sprintf("http://%d.example/", i))
		}
		time.Sleep(59 * time.Second)
		for i := range 300 {
			conduct.Get(client, "http://"+down(i)+"/")
		}
		assert.Zero(t, strings.Count(log.String(), "share no Cache"))
	})
}

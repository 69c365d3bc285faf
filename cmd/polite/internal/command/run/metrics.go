package run

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// serveMetrics serves what a gateway does at an address, as Prometheus reads it. It serves
// until end is called. If the address is "", it serves nothing.
func serveMetrics(address string, g *gateway) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics takes a free address and a port, as in 127.0.0.1:9090: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		g.writeMetrics(w)
	})
	server := &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // it tells of connections that fail
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	return func() {
		server.Close()
		serving.Wait()
	}, nil
}

// writeMetrics writes what g has done.
func (g *gateway) writeMetrics(w io.Writer) {
	write := func(name, kind, help string, value any) {
		fmt.Fprintf(w, "# HELP polite_%[1]s %[2]s\n# TYPE polite_%[1]s %[3]s\npolite_%[1]s %[4]v\n", name, help, kind, value)
	}
	t, cache := g.Summary(), g.transport.Cache.Stats()
	write("proxy_connections_total", "counter", "Connections that programs have opened.", t.Connections)
	write("proxy_tunnels_total", "counter", "Tunnels that programs have asked for.", t.Tunnels)
	write("proxy_locked_total", "counter", "Requests of who may not use the proxy.", t.Locked)
	write("requests_total", "counter", "Requests for sites.", t.Requests)
	write("sent_total", "counter", "Requests that brought an answer.", t.Sent)
	write("failed_total", "counter", "Requests to which no answer came.", t.Failed)
	write("left_total", "counter", "Requests whose program hung up before the answer.", t.Left)
	write("robots_told_total", "counter", "Requests for robots.txt that were answered with what is known.", t.Robots)
	write("waits_total", "counter", "Waits for a turn.", t.Waits)
	write("wait_seconds_total", "counter", "Time of all waits for a turn.", t.Wait.Seconds())
	write("origins", "gauge", "Sites of which something is known.", cache.Origins)
	write("cache_bytes", "gauge", "Memory for what is known of sites.", cache.Bytes)
	fmt.Fprintf(w, "# HELP polite_refused_total Requests that were refused, by kind.\n# TYPE polite_refused_total counter\n")
	for _, kind := range slices.Sorted(maps.Keys(t.Refused)) {
		fmt.Fprintf(w, "polite_refused_total{kind=%q} %d\n", kind, t.Refused[kind])
	}
}

// Command prometheus is an example of a crawler whose numbers Prometheus scrapes:
//
//	go run . https://example.com/ https://example.org/
//	curl http://localhost:9464/metrics
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/otelpolite"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	handler, err := instrument(transport)
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/metrics", handler)
	go func() { log.Fatal(http.ListenAndServe("localhost:9464", nil)) }()
	for _, url := range os.Args[1:] {
		fmt.Println(url, fetch(ctx, transport, url))
	}
	<-ctx.Done()
}

// instrument measures what a Transport does, and returns the page that Prometheus scrapes.
func instrument(transport *polite.Transport) (http.Handler, error) {
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	telemetry := otelpolite.Telemetry{MeterProvider: metric.NewMeterProvider(metric.WithReader(reader))}
	if err := telemetry.Instrument(transport); err != nil {
		return nil, err
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), nil
}

// fetch fetches a page, and returns its status or its error.
func fetch(ctx context.Context, transport *polite.Transport, url string) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err.Error()
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err.Error()
	}
	return resp.Status
}

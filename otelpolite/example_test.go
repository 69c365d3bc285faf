package otelpolite_test

import (
	"fmt"
	"log"
	"net/http"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/otelpolite"
)

func ExampleTelemetry() {
	var telemetry otelpolite.Telemetry // of otel.GetMeterProvider
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	if err := telemetry.Instrument(transport); err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	fmt.Printf("%T\n", client.Transport)
	// Output: *polite.Transport
}

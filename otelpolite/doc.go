// Package otelpolite reports to OpenTelemetry what a [polite.Transport] does: in metrics,
// and in attributes of the spans that requests have already. It makes no spans and no
// span events.
//
//	var telemetry otelpolite.Telemetry
//	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
//	err := telemetry.Instrument(transport)
//
// The tables of all metrics and attributes are in docs/observing.md of package polite. Each
// attribute has a fixed set of values, whatever sites answer. So the series are few, however
// many sites there are. See Telemetry.ServerAddress for the one exception.
//
// # Spans
//
// The attributes go to the span in the context of a request. With otelhttp outside, this is
// the span of the request, which then includes the waiting:
//
//	http.Client{Transport: otelhttp.NewTransport(transport)}
//
// With otelhttp inside, as Transport.Base, it is the caller's span. If several requests have
// the same span, such as a request and its redirects, it has the attributes of the last.
//
// # Prometheus
//
// The folder has a dashboard for Grafana, grafana.json, and alert rules, alerts.yml. They
// use the names that the exporter of OpenTelemetry gives to the metrics. Module
// otelpolite/prometheus is an example of a crawler with this exporter.
package otelpolite

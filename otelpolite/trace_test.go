package otelpolite_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/otelpolite"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// attributesOf returns the attributes of a span in which url is fetched.
func attributesOf(w *world, url string, patience time.Duration) map[attribute.Key]any {
	recorder := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(recorder)).Tracer("test")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, span := tracer.Start(ctx, "fetch")
	get(ctx, w.transport, url)
	span.End()
	attrs := make(map[attribute.Key]any)
	for _, attr := range recorder.Ended()[0].Attributes() {
		attrs[attr.Key] = attr.Value.AsInterface()
	}
	if events := recorder.Ended()[0].Events(); len(events) > 0 {
		attrs["events"] = events
	}
	return attrs
}

// The span of a request tells what decided, and how long the request waited.
func TestSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		set(w.web)
		for _, test := range []struct {
			url      string
			patience time.Duration
			want     map[attribute.Key]any
		}{
			{"http://a.example/1", time.Hour, map[attribute.Key]any{"polite.reason": "no-rule", "polite.allowed": true, "polite.lookup": "miss"}},
			{"http://a.example/2", time.Hour, map[attribute.Key]any{"polite.reason": "no-rule", "polite.allowed": true, "polite.lookup": "hit", "polite.wait": 10.0}},
			{"http://a.example/private", time.Hour, map[attribute.Key]any{"polite.reason": "rule", "polite.allowed": false, "polite.lookup": "hit"}},
			{"http://a.example/3", time.Second, map[attribute.Key]any{"polite.reason": "delayed", "polite.allowed": true, "polite.lookup": "hit"}},
			{"http://a.example/robots.txt", time.Hour, map[attribute.Key]any{"polite.reason": "robots.txt", "polite.allowed": true, "polite.wait": 10.0}},
			{"http://down.example/", time.Hour, map[attribute.Key]any{"polite.reason": "unreachable", "polite.allowed": false, "polite.lookup": "miss"}},
		} {
			assert.Equal(t, test.want, attributesOf(w, test.url, test.patience), test.url)
		}
	})
}

// A Trace that is set already is called as before.
func TestTraceIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		set(w.web)
		transport := w.newTransport(t)
		var mu sync.Mutex
		called := make(map[string]int)
		call := func(name string) {
			mu.Lock()
			defer mu.Unlock()
			called[name]++
		}
		transport.Cache = &polite.Cache{Store: new(memstore.Entries)}
		transport.Trace = polite.Trace{
			Judged: func(_ *http.Request, r polite.Ruling) {
				if !r.Again {
					call("Judged")
				}
			},
			Refused:      func(*http.Request, error) { call("Refused") },
			Waits:        func(*http.Request, time.Time) { call("Waits") },
			Waited:       func(*http.Request, time.Duration, error) { call("Waited") },
			BreakBegan:   func(polite.Limit) { call("BreakBegan") },
			Blocked:      func(*http.Request, int, polite.Trouble) { call("Blocked") },
			Limited:      func(polite.Limit) { call("Limited") },
			Asked:        func(polite.Fetch) { call("Asked") },
			RulesChanged: func(string, *robots.File, *robots.File) { call("RulesChanged") },
			Called:       func(store.Call) { call("Called") },
			Answered: func(_ *http.Request, resp *http.Response) {
				if resp.StatusCode == http.StatusPaymentRequired {
					call("Priced")
				}
			},
			Health: func(store.HealthEvent) { call("Health") },
		}
		mine := transport.Trace
		require.NoError(t, w.telemetry.Instrument(transport))
		for _, url := range []string{"http://a.example/1", "http://a.example/busy", "http://a.example/paid", "http://a.example/private", "http://new.example/1", "http://wall.example/"} {
			get(t.Context(), transport, url)
		}
		time.Sleep(6 * time.Minute)
		get(t.Context(), transport, "http://new.example/2")
		transport.Trace.Health(store.HealthEvent{})
		synctest.Wait()
		r := read(t, w.reader)
		for name, metric := range map[string]string{
			"Judged": "requests", "Refused": "refusals", "Waited": "wait.duration", "BreakBegan": "breaks", "Blocked": "blocks", "Limited": "troubles", "Asked": "robots.fetch.duration",
			"RulesChanged": "robots.changes", "Priced": "prices", "Called": "store.operation.duration",
		} {
			assert.NotZero(t, called[name], name)
			assert.EqualValues(t, called[name], r.total(metric), metric)
		}
		assert.NotZero(t, called["Waits"])
		assert.Len(t, called, reflect.TypeOf(mine).NumField(), "all functions")
	})
}

// A provider that makes no instruments leaves the Transport as it is.
func TestNoInstruments(t *testing.T) {
	transport := &polite.Transport{UserAgent: userAgent}
	telemetry := otelpolite.Telemetry{MeterProvider: broken{}}
	assert.ErrorContains(t, telemetry.Instrument(transport), "none today")
	assert.Nil(t, transport.Cache)
	assert.Nil(t, transport.Trace.Judged)
	assert.NoError(t, telemetry.Unregister())
}

// The zero Telemetry uses the provider of the process.
func TestZeroTelemetry(t *testing.T) {
	var telemetry otelpolite.Telemetry
	w := newWorld(t)
	transport := w.newTransport(t)
	require.NoError(t, telemetry.Instrument(transport))
	assert.NoError(t, get(t.Context(), transport, "http://a.example/"))
	assert.NoError(t, telemetry.Unregister())
	assert.NoError(t, (&otelpolite.Telemetry{MeterProvider: noop.NewMeterProvider()}).Instrument(transport))
}

// lacking is an error of Turns with a word of its own.
type lacking string

func (lacking) Error() string       { return "https://a.example/" }
func (l lacking) ErrorType() string { return string(l) }

// The error.type depends on the type of an error and never on its text.
func TestErrorTypes(t *testing.T) {
	for want, errs := range map[string][]error{
		"canceled":    {context.Canceled, fmt.Errorf("a text: %w", context.Canceled)},
		"timeout":     {context.DeadlineExceeded, os.ErrDeadlineExceeded, &net.DNSError{IsTimeout: true}, &url.Error{Err: context.DeadlineExceeded}},
		"dns":         {&net.OpError{Err: &net.DNSError{IsNotFound: true}}},
		"tls":         {&tls.CertificateVerificationError{}, tls.RecordHeaderError{}, &net.OpError{Err: tls.AlertError(40)}, x509.HostnameError{Certificate: new(x509.Certificate)}},
		"connection":  {&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, &net.OpError{Op: "read", Err: syscall.ECONNRESET}},
		"eof":         {io.EOF, io.ErrUnexpectedEOF},
		"rule":        {&polite.DisallowedError{Decision: polite.Decision{Reason: polite.ReasonRule}}},
		"delayed":     {&polite.DelayError{Decision: polite.Decision{Reason: polite.ReasonDelayed}, Cause: polite.CauseDeadline}},
		"unreachable": {&polite.NoRulesError{Decision: polite.Decision{Reason: polite.ReasonUnreachable, Err: context.DeadlineExceeded}}},
		"memory":      {lacking("memory"), fmt.Errorf("take: %w", lacking("memory"))},
		"_OTHER":      {lacking(""), errors.New("canceled"), errors.New("https://a.example/")},
	} {
		for _, err := range errs {
			w := newWorld(t)
			w.transport.Trace.Asked(polite.Fetch{Err: err, Tries: 1})
			assert.EqualValues(t, 1, read(t, w.reader).total("robots.fetch.duration", "error.type="+want), "%T %v", err, err)
			w.transport.Trace.Called(store.Call{Name: "of another version", Err: err})
			assert.EqualValues(t, 1, read(t, w.reader).total("turns.operation.duration", "error.type="+want, "operation=_OTHER"), "%T %v", err, err)
		}
	}
}

// What is measured can be read while Transports come and go.
func TestConcurrent(t *testing.T) {
	w := newWorld(t)
	var all sync.WaitGroup
	for _, do := range []func(){
		func() { assert.NoError(t, w.telemetry.Instrument(w.newTransport(t))) },
		func() { assert.NoError(t, w.telemetry.Unregister()) },
		func() { metrics(t, w.reader) },
		func() { get(t.Context(), w.transport, "http://a.example/") },
	} {
		all.Go(func() {
			for range 100 {
				do()
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, 100, read(t, w.reader).total("requests"))
}

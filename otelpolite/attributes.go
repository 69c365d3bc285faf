package otelpolite

import (
	"net/http"
	"strconv"

	"github.com/go-polite/polite"
	"go.opentelemetry.io/otel/attribute"
)

// Attributes of our own.
const (
	reasonKey    = attribute.Key("polite.reason")        // a polite.Reason
	allowedKey   = attribute.Key("polite.allowed")       // by robots.txt
	lookupKey    = attribute.Key("polite.lookup")        // Ruling.Lookup
	resultKey    = attribute.Key("polite.robots.result") // see resultOf
	operationKey = attribute.Key("polite.operation")     // the name of a store.Call
	troubleKey   = attribute.Key("polite.trouble")       // a polite.Trouble
	waitKey      = attribute.Key("polite.wait")          // of spans: how long the request waited for its turn, in seconds
)

// Attributes of OpenTelemetry's semantic conventions. Their package is large.
const (
	errorTypeKey     = attribute.Key("error.type")
	statusKey        = attribute.Key("http.response.status_code")
	serverAddressKey = attribute.Key("server.address")
)

// resultOf returns the result of a fetch of robots.txt, in the words of polite.Stats.
func resultOf(f polite.Fetch) string {
	switch {
	case f.Tries > 0:
		return "unreachable"
	case f.Unchanged:
		return "unchanged"
	case f.Status/100 == 2:
		return "found"
	default:
		return "unavailable"
	}
}

// withStatus adds the status. A site can make up a status, so only the statuses that HTTP
// defines count.
func withStatus(attrs []attribute.KeyValue, status int) []attribute.KeyValue {
	if http.StatusText(status) == "" {
		return attrs
	}
	return append(attrs, statusKey.Int(status))
}

// fetchErrorOf returns the error.type of a fetch, or "" if it did not fail.
func fetchErrorOf(f polite.Fetch) string {
	switch {
	case f.Err != nil:
		if kind := errorType(f.Err); kind != other || f.Status/100 != 3 {
			return kind
		}
		return "redirect"
	case f.Tries == 0:
		return ""
	case http.StatusText(f.Status) == "":
		return other
	default:
		return strconv.Itoa(f.Status)
	}
}

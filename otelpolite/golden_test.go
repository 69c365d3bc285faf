package otelpolite_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

var update = flag.Bool("update", false, "write testdata/metrics.txt, and the table of metrics in docs/observing.md")

const (
	golden = "testdata/metrics.txt"
	page   = "../docs/observing.md"
)

// all returns the metrics after everything has happened, in order.
func all(t *testing.T) (metricsOf []metricdata.Metrics) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		visitAll(t, w)
		for _, e := range []*engine{{}, {err: errors.New("is full")}, {hangs: true}} {
			use(t, w, e)
		}
		metricsOf = metrics(t, w.reader)
	})
	slices.SortFunc(metricsOf, func(a, b metricdata.Metrics) int { return strings.Compare(a.Name, b.Name) })
	return metricsOf
}

// attributes returns the values of each attribute of m, in order.
func attributes(t *testing.T, m metricdata.Metrics) map[attribute.Key][]string {
	values := make(map[attribute.Key][]string)
	each(t, m, func(set attribute.Set, _ point) {
		for _, attr := range set.ToSlice() {
			values[attr.Key] = append(values[attr.Key], attr.Value.String())
		}
	})
	for key := range values {
		slices.Sort(values[key])
		values[key] = slices.Compact(values[key])
	}
	return values
}

func kind(m metricdata.Metrics) string {
	switch data := m.Data.(type) {
	case metricdata.Histogram[float64]:
		return "histogram"
	case metricdata.Sum[int64]:
		if data.IsMonotonic {
			return "counter"
		}
	case metricdata.Gauge[float64]:
		return "gauge"
	}
	return "up-down counter"
}

// The golden file has the names, kinds, units, descriptions and attributes of all
// metrics. After a change that is meant, run the test with -update.
func TestGolden(t *testing.T) {
	var text, table strings.Builder
	table.WriteString("| metric | kind, unit | attributes | counts |\n|---|---|---|---|\n")
	for _, m := range all(t) {
		values := attributes(t, m)
		keys := slices.Sorted(maps.Keys(values))
		fmt.Fprintf(&text, "%s\n\t%s, %s\n\t%s\n", m.Name, kind(m), m.Unit, m.Description)
		var names []string
		for _, key := range keys {
			fmt.Fprintf(&text, "\t%s: %s\n", key, strings.Join(values[key], " "))
			names = append(names, "`"+string(key)+"`")
		}
		fmt.Fprintf(&table, "| `%s` | %s, `%s` | %s | %s |\n", m.Name, kind(m), m.Unit, strings.Join(names, " "), m.Description)
	}
	compare(t, golden, text.String())
	before, rest, ok := strings.Cut(readFile(t, page), "<!-- metrics -->\n")
	require.True(t, ok)
	_, after, ok := strings.Cut(rest, "<!-- end of metrics -->\n")
	require.True(t, ok)
	compare(t, page, before+"<!-- metrics -->\n"+table.String()+"<!-- end of metrics -->\n"+after)
}

// compare compares text with a file, or writes it.
func compare(t *testing.T, path, text string) {
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	assert.Equal(t, readFile(t, path), text, "if that is meant, run the test with -update")
}

func readFile(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// The page names each attribute, and each value of it that is a word of ours.
func TestAttributesAreDocumented(t *testing.T) {
	text := readFile(t, page)
	for _, m := range all(t) {
		for key, values := range attributes(t, m) {
			assert.Contains(t, text, "| `"+string(key)+"` |", m.Name)
			for _, value := range values {
				if strings.Trim(value, "0123456789") != "" {
					assert.Contains(t, text, "`"+value+"`", "%s: %s", m.Name, key)
				}
			}
		}
	}
}

// Attributes that OpenTelemetry has a name for have this name.
func TestSemanticConventions(t *testing.T) {
	known := []attribute.Key{semconv.ErrorTypeKey, semconv.HTTPResponseStatusCodeKey, semconv.ServerAddressKey}
	for _, m := range all(t) {
		assert.True(t, strings.HasPrefix(m.Name, "polite."), m.Name)
		for key := range attributes(t, m) {
			assert.True(t, strings.HasPrefix(string(key), "polite.") || slices.Contains(known, key), key)
		}
	}
	assert.Equal(t, "_OTHER", semconv.ErrorTypeOther.Value.AsString())
}

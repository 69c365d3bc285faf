package main

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alerts returns the alert rules. It checks them as Prometheus does.
func alerts(t *testing.T) (rules []rulefmt.Rule) {
	groups, problems := rulefmt.ParseFile("../alerts.yml", false, model.LegacyValidation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	require.Empty(t, problems)
	for _, group := range groups.Groups {
		rules = append(rules, group.Rules...)
	}
	require.NotEmpty(t, rules)
	return rules
}

// variables are the variables of Grafana in queries, with a value for each.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$job", ".*")

// panels returns the queries of the dashboard, by the panel.
func panels(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../grafana.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Type    string
			Targets []struct{ Expr string }
		}
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	queries := make(map[string][]string)
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries[panel.Title] = append(queries[panel.Title], variables.Replace(target.Expr))
		}
		if panel.Type != "row" {
			assert.NotEmpty(t, queries[panel.Title], panel.Title)
		}
	}
	require.NotEmpty(t, queries)
	return queries
}

// A query is a text in PromQL, and the alert or the panel that has it.
type query struct{ of, text string }

func queries(t *testing.T) (all []query) {
	for _, rule := range alerts(t) {
		all = append(all, query{"alert " + rule.Alert, rule.Expr})
	}
	for title, texts := range panels(t) {
		for _, text := range texts {
			all = append(all, query{"panel " + title, text})
		}
	}
	return all
}

// names returns the metrics that expr asks for, with the labels that it names for them.
func names(t *testing.T, expr parser.Expr) map[string][]string {
	found := make(map[string][]string)
	parser.Inspect(expr, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		require.NotEmpty(t, selector.Name, expr)
		labelNames := found[selector.Name]
		for _, m := range selector.LabelMatchers {
			if m.Name != model.MetricNameLabel {
				labelNames = append(labelNames, m.Name)
			}
		}
		for _, outer := range path {
			if aggregate, ok := outer.(*parser.AggregateExpr); ok {
				labelNames = append(labelNames, aggregate.Grouping...)
			}
		}
		found[selector.Name] = labelNames
		return nil
	})
	return found
}

// scraped returns all labels of each metric that is scraped once everything has happened.
func scraped(t *testing.T) map[string]map[string]bool {
	c := newCrawler(t, &polite.Transport{Cache: &polite.Cache{Store: new(memory)}})
	everything(t, c)
	all := make(map[string]map[string]bool)
	for _, s := range samples(t, c.scrape(t)) {
		name := string(s.Metric[model.MetricNameLabel])
		if all[name] == nil {
			all[name] = map[string]bool{"job": true, "instance": true} // which Prometheus adds
		}
		for label := range s.Metric {
			all[name][string(label)] = true
		}
	}
	return all
}

// Each query of the dashboard and of the alerts is well-formed, and names metrics and
// labels that are scraped. The dashboard shows each metric.
func TestQueries(t *testing.T) {
	known, shown := scraped(t), make(map[string]bool)
	for _, q := range queries(t) {
		expr, err := parser.NewParser(parser.Options{}).ParseExpr(q.text)
		require.NoError(t, err, "%s: %s", q.of, q.text)
		for name, labelNames := range names(t, expr) {
			if strings.HasPrefix(q.of, "panel ") {
				shown[family(name)] = true
			}
			if !assert.Contains(t, known, name, q.of) {
				continue
			}
			for _, label := range labelNames {
				assert.True(t, known[name][label], "%s: %s has no label %s", q.of, name, label)
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "polite_") {
			assert.True(t, shown[family(name)], "no panel shows %s", name)
		}
	}
}

var suffix = regexp.MustCompile("_(bucket|sum|count)$")

// family returns the metric that a series belongs to.
func family(name string) string { return suffix.ReplaceAllString(name, "") }

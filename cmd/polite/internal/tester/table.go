package tester

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// A tableAnswer is a table of URLs by crawlers.
type tableAnswer struct {
	Columns []column    `json:"columns"`
	Rows    [][]verdict `json:"rows"` // of the first URLs: one for each column
	More    int         `json:"more"` // URLs that are counted and have no row
	Beyond  int         `json:"more_crawlers"`
	Error   string      `json:"error,omitempty"` // why there is no table
}

// A column is crawlers that go by the same rules.
type column struct {
	Crawlers []string `json:"crawlers"`
	Group    string   `json:"group"` // the product token of their group; "" if none is for them
	Totals   totals   `json:"totals"`
}

// The most that a table tells. The totals count all URLs.
const (
	mostRows    = 50
	mostColumns = 50
)

// Kinds of crawlers, besides those of package crawlers.
const (
	knownCrawlers = "known" // all of package crawlers
	namedCrawlers = "named" // all that the file names, and any that it does not
)

// table judges URLs for the crawlers by a file, whose text is that of the form.
func (s several) table(ctx context.Context, file *robots.File, f form) *tableAnswer {
	agents, err := s.agents(file)
	if err != nil {
		return &tableAnswer{Columns: []column{}, Rows: [][]verdict{}, Error: printable.Text(err.Error())}
	}
	columns, readers := columnsOf(file, agents)
	beyond := max(0, len(columns)-mostColumns)
	columns, readers = columns[:len(columns)-beyond], readers[:len(readers)-beyond]
	rows := make([][]verdict, min(len(f.urls), mostRows))
	for i := range rows {
		rows[i] = make([]verdict, len(columns))
	}
	j := judge.New(judge.Options{Crawlers: readers, File: fileName, Body: f.text})
	var mu sync.Mutex // of the totals
	each(len(f.urls), func(from, to int) {
		for n := range columns {
			t := judgeColumn(ctx, j, n, f.urls[from:to], rows[min(from, len(rows)):])
			mu.Lock()
			columns[n].Totals.join(t)
			mu.Unlock()
		}
	})
	return &tableAnswer{Columns: columns, Rows: rows, More: len(f.urls) - len(rows), Beyond: beyond}
}

// judgeColumn judges URLs for the n-th crawler of j, and fills in its cells of the rows.
func judgeColumn(ctx context.Context, j *judge.Judge, n int, urls []judge.Target, rows [][]verdict) (t totals) {
	for i, u := range urls {
		if ctx.Err() != nil {
			break
		}
		v := verdictOf(j.Rule(ctx, u, n))
		t.add(v.Verdict)
		if i < len(rows) {
			rows[i][n] = v
		}
	}
	return t
}

// agents returns the crawlers, each with its product tokens.
func (s several) agents(f *robots.File) (agents [][]string, err error) {
	switch {
	case s.Kind == namedCrawlers:
		agents, _ = compare.Crawlers(f, f)
		return agents, nil
	case s.Kind == knownCrawlers:
		return tokensOf(crawlers.All()), nil
	case s.Kind != "" && !slices.Contains(crawlers.Kinds(), crawlers.Kind(s.Kind)):
		return nil, bad("%q is no kind of crawlers.", s.Kind)
	case s.Kind != "":
		return tokensOf(crawlers.OfKind(crawlers.Kind(s.Kind))), nil
	case len(s.Names) > mostColumns:
		return nil, bad("There are more than %d crawlers: choose fewer.", mostColumns)
	}
	for _, name := range s.Names {
		who, err := readAgent(name)
		if err != nil {
			return nil, err
		}
		agents = append(agents, who.Tokens)
	}
	return agents, nil
}

// tokensOf returns the product tokens of crawlers that are in use.
func tokensOf(all []crawlers.Crawler) (agents [][]string) {
	for _, c := range inUse(all) {
		if tokens, err := judge.ParseAgent(c.Name); err == nil {
			agents = append(agents, tokens)
		}
	}
	return agents
}

func inUse(all []crawlers.Crawler) []crawlers.Crawler {
	return slices.DeleteFunc(all, func(c crawlers.Crawler) bool { return c.Status == crawlers.Retired })
}

// columnsOf puts crawlers that go by the same rules into one column. Of each, it returns the
// product tokens of the first crawler.
func columnsOf(f *robots.File, agents [][]string) (columns []column, readers [][]string) {
	columns = []column{}
	places := make(map[string]int)
	for _, tokens := range agents {
		rules := compare.RulesOf(f, tokens)
		group := rules.Agent()
		key := group
		if group != "" && group != anyCrawler {
			key = compare.Fingerprint(rules)
		}
		i, ok := places[key]
		if !ok {
			i = len(columns)
			places[key] = i
			columns, readers = append(columns, column{Group: printable.Text(group)}), append(readers, tokens)
		}
		columns[i].Crawlers = append(columns[i].Crawlers, excerpt(tokens[0]))
	}
	return columns, readers
}

// each gives each processor its share of n pieces of work.
func each(n int, do func(from, to int)) {
	share := n/runtime.GOMAXPROCS(0) + 1
	var work sync.WaitGroup
	for from := 0; from < n; from += share {
		work.Go(func() { do(from, min(from+share, n)) })
	}
	work.Wait()
}

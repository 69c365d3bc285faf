package tester

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"sync"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// A tableAnswer is a table of URLs by crawlers.
type tableAnswer struct {
	Columns []column `json:"columns"`
	Rows    [][]cell `json:"rows"` // of the first URLs: one cell for each column
	More    int      `json:"more"` // URLs that are counted and have no row
	Beyond  int      `json:"more_crawlers"`
	Error   string   `json:"error,omitempty"` // why there is no table
}

// A column is crawlers that go by the same rules.
type column struct {
	Crawlers []string `json:"crawlers"`
	Group    string   `json:"group"` // the product token of their group; "" if none is for them
	Totals   totals   `json:"totals"`
}

type cell struct {
	Verdict report.Outcome `json:"verdict"`
	Line    int            `json:"line"`
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
		return &tableAnswer{Columns: []column{}, Rows: [][]cell{}, Error: printable.Text(err.Error())}
	}
	columns, readers := columnsOf(file, agents)
	beyond := max(0, len(columns)-mostColumns)
	columns, readers = columns[:len(columns)-beyond], readers[:len(readers)-beyond]
	rows := make([][]cell, min(len(f.urls), mostRows))
	for i := range rows {
		rows[i] = make([]cell, len(columns))
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
func judgeColumn(ctx context.Context, j *judge.Judge, n int, urls []judge.Target, rows [][]cell) (t totals) {
	for i, u := range urls {
		if ctx.Err() != nil {
			break
		}
		v := verdictOf(j.Rule(ctx, u, n))
		t.add(v.Verdict)
		if i < len(rows) {
			rows[i][n] = cell{v.Verdict, v.Line}
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
		group := groupOf(f, tokens)
		key := rulesKey(f, tokens, group)
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

// rulesKey returns the same text for crawlers with the same rules, that all have a group of
// their own, or that of everyone, or none.
func rulesKey(f *robots.File, tokens []string, group string) string {
	if group == "" || group == anyCrawler {
		return group
	}
	key := []byte{'='}
	for r := range f.Rules(tokens...).All() {
		key = binary.AppendUvarint(key, uint64(r.Line))
	}
	return string(key)
}

// groupOf returns the product token of the group that applies to a crawler. It is "" if none
// does.
func groupOf(f *robots.File, tokens []string) string {
	if tokens[0] == anyCrawler {
		return f.Rules().Agent()
	}
	group := f.Rules(tokens...).Agent()
	if group == anyCrawler && judge.IgnoresEveryone(tokens[0]) {
		return ""
	}
	return group
}

// letIn reports whether a crawler may fetch the first page of a site.
func letIn(f *robots.File, tokens []string) bool {
	rule, _ := f.Rules(tokens...).Match("/")
	return groupOf(f, tokens) == "" || compare.Allowed(rule)
}

// parted adds groups that keep crawlers of one kind out and let those of others in, where the
// text does not say so already.
func (f form) parted(ctx context.Context) (a fixAnswer, err error) {
	file := robots.Parse(f.text)
	out, in := partedBy(file, f.request.Out, f.request.In)
	if len(out)+len(in) == 0 {
		return a, bad("The file says so already.")
	}
	a.Text, a.Edits = f.text, 1
	a.add("Kept out: "+f.request.Out, out, "Disallow: /")
	a.add("Let in: "+strings.Join(f.request.In, ", "), in, "Allow: /")
	a.Effect, err = form{request: request{Agent: everyCrawler}, before: f.text, text: a.Text}.compare(ctx)
	return a, err
}

// partedBy returns the names of crawlers to keep out and of those to let in. Who is of both
// kinds is kept out.
func partedBy(f *robots.File, kind string, others []string) (out, in []string) {
	seen := make(map[string]bool)
	for _, c := range inUse(crawlers.OfKind(crawlers.Kind(kind))) {
		seen[c.Name] = true
		if letIn(f, tokens(c)) {
			out = append(out, c.Name)
		}
	}
	for _, other := range others {
		for _, c := range inUse(crawlers.OfKind(crawlers.Kind(other))) {
			if !seen[c.Name] && !letIn(f, tokens(c)) {
				in = append(in, c.Name)
			}
			seen[c.Name] = true
		}
	}
	return out, in
}

func tokens(c crawlers.Crawler) []string {
	tokens, _ := judge.ParseAgent(c.Name) // the table has none that fails
	return tokens
}

// add adds a group for crawlers at the end of the text, after a blank line.
func (a *fixAnswer) add(comment string, names []string, rule string) {
	if len(names) == 0 {
		return
	}
	end := lineEnd(a.Text)
	text := string(a.Text)
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r"):
		text += end + end
	case !strings.HasSuffix(text, end+end):
		text += end
	}
	lines := []string{"# " + comment}
	for _, name := range names {
		lines = append(lines, "User-agent: "+name)
	}
	a.Text = []byte(text + strings.Join(append(lines, rule, ""), end))
}

// lineEnd returns what ends the first line of a text.
func lineEnd(text []byte) string {
	first := strings.IndexAny(string(text), "\r\n")
	switch {
	case first < 0 || text[first] == '\n':
		return "\n"
	case first+1 < len(text) && text[first+1] == '\n':
		return "\r\n"
	default:
		return "\r"
	}
}

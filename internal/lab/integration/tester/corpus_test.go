package tester

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A question is put to the page and to the command.
type question struct {
	name  string
	file  []byte
	agent string
	urls  []string
}

// questions returns so many questions to different files: of the corpus, or made up if there
// is none.
func questions(t *testing.T, count int) (asked []question) {
	if os.Getenv("POLITE_CORPUS") == "" {
		for i, file := range corpus.MadeUp(count) {
			asked = append(asked, question{fmt.Sprint("made up ", i), file, "GPTBot", []string{"/", "/a", "/private/x?y=1", "https://example.com/a/b.html"}})
		}
		return asked
	}
	files, cases := corpus.Load(t)
	of := make(map[string][]corpus.Case)
	for _, c := range cases {
		if c.Agent != "*" { // which no crawler is called
			of[c.Host] = append(of[c.Host], c)
		}
	}
	hosts := slices.Sorted(maps.Keys(of))
	for i := range count {
		host := hosts[i*len(hosts)/count]
		q := question{host, files[host], of[host][0].Agent, nil}
		for _, c := range of[host] {
			if c.Agent == q.agent && len(q.urls) < 8 && !strings.ContainsAny(c.URL, "\n\r#") {
				q.urls = append(q.urls, c.URL)
			}
		}
		asked = append(asked, q)
	}
	return asked
}

// TestPageSaysWhatTheCommandSays compares verdicts, lines and findings on real files.
func TestPageSaysWhatTheCommandSays(t *testing.T) {
	count := 200
	if testing.Short() {
		count = 20
	}
	p := open(t, wide, start(t).Link)
	for _, q := range questions(t, count) {
		if len(q.urls) == 0 {
			continue
		}
		p.load(string(q.file))
		p.answered(func() {
			set, err := json.Marshal([]string{q.agent, strings.Join(q.urls, "\n")})
			require.NoError(t, err)
			p.value(`(([agent, urls]) => { for (const [id, v] of [['agent', agent], ['urls', urls]]) { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})) } return 0 })(` + string(set) + `)`)
		})
		path := filepath.Join(t.TempDir(), "robots.txt")
		require.NoError(t, os.WriteFile(path, q.file, 0o600))
		assert.Equal(t, verdictsOfCommand(t, path, q), p.verdicts(), q.name)
		assert.ElementsMatch(t, findingsOfCommand(t, path), p.allFindings(), q.name)
	}
}

func verdictsOfCommand(t *testing.T, path string, q question) (rows []string) {
	args := append([]string{"check", "--no-cache", "--json", "-f", path, "-A", q.agent, "--"}, q.urls...)
	for i, line := range lines(run(t, args...)) {
		var v struct {
			Allowed bool
			Line    int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		row := "✕ disallowed " + q.urls[i]
		if v.Allowed {
			row = "✓ allowed " + q.urls[i]
		}
		if v.Line > 0 {
			row += fmt.Sprint(" line ", v.Line)
		}
		rows = append(rows, row)
	}
	return rows
}

func findingsOfCommand(t *testing.T, path string) (rows []string) {
	rows = []string{}
	for _, line := range lines(run(t, "lint", "--no-cache", "--json", path)) {
		var f struct {
			Severity, Message string
			Line              int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &f))
		rows = append(rows, fmt.Sprintf("%s, line %d: %s", f.Severity, f.Line, f.Message))
	}
	return rows
}

func lines(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == '\n' }) }

// allFindings returns all findings, with those that are shown when the user asks for more.
func (p *page) allFindings() []string {
	return value[[]string](p, `(() => { for (const more = document.querySelector('#findings-more'); !more.hidden;) more.click();
		for (const all of document.querySelectorAll('#findings [aria-expanded=false]')) all.click();
		return [...document.querySelectorAll('#findings .finding:not(:has(.each))')].map(li => li.querySelector('.severity').textContent.slice(2) + ', ' + li.querySelector('.line').textContent.toLowerCase() + ': ' + li.querySelector('.message').textContent) })()`)
}

package records

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/stretchr/testify/assert"
)

// What is told of agents grows with the file, and no faster.
func TestManyAgentsOfManyRecords(t *testing.T) {
	for _, size := range []int{1_000, 40_000, 500 << 10} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, "user-agent: a%d\ncrawl-delay: %d\n", i, i)
		}
		for _, json := range []bool{false, true} {
			told := options{json: json}.records(input.Source{Body: []byte(b.String())})
			assert.Less(t, len(told), 6*size+120_000)
			assert.Equal(t, size > 1_000, strings.Contains(told, `"as":`) || strings.Contains(told, "(as in line 2)") || strings.Contains(told, "(too many agents"))
		}
	}
}

// Of short records that are said over and over, each is told once for its agents, and who they are, too.
func TestRecordsAgain(t *testing.T) {
	body := "x: y\nuser-agent: a\nuser-agent: b\nx: y\nsitemap: /s\nx: y\nz: y\nallow: /\nuser-agent: c\nx: y\n"
	told := func(body string, json bool) string {
		return options{json: json}.records(input.Source{Body: []byte(body)})
	}
	assert.Equal(t, "1: x: y\n4: x: y (a, b)  and again in 1 line\n5: sitemap: /s\n7: z: y (a, b)\n10: x: y (c)\n", told(body, false))
	assert.Contains(t, told(body, true), `{"line":4,"key":"x","value":"y","agents":["a","b"],"again":1}`+"\n")
	for name, line := range map[string]string{"a": "a:b\n", "control": "\x01:\x01\n", "different": ""} {
		for _, agents := range []int{0, 40, 4000} {
			var b strings.Builder
			for i := range agents {
				fmt.Fprintf(&b, "user-agent: a%d\n", i)
			}
			for i := 0; b.Len() < 100_000; i++ {
				if line == "" {
					fmt.Fprintf(&b, "%x:\n", i)
				}
				b.WriteString(line)
			}
			for _, json := range []bool{false, true} {
				assert.LessOrEqual(t, len(told(b.String(), json)), 10*b.Len()+100_000, "%s, %d agents", name, agents)
			}
		}
	}
}

// What a line says nothing about is told as check tells it, and not as what its value seems to be.
func TestMeaning(t *testing.T) {
	for line, want := range map[string]string{
		"Content-Usage: search=yes":               "nothing: see polite lint",
		"Content-Usage: search=yes, train-ai=n":   "search not stated, train-ai no on all pages",
		"Content-Usage: /a train-ai=y":            "train-ai yes on /a",
		"Content-Signal: /blog/ ai-train=yes":     "nothing: see polite lint",
		"Content-Signal: ai-train=no, search=yes": "train-ai no, search yes on all pages",
	} {
		assert.Contains(t, options{}.records(input.Source{Body: []byte("User-agent: *\n" + line)}), "<- "+want+"\n")
	}
}

// What a file says about uses is told in ten times its octets, and the path of a record once.
func TestManyUses(t *testing.T) {
	var letters, pairs []string
	for a := 'a'; a <= 'z'; a++ {
		letters = append(letters, string(a))
		for b := 'a'; b <= 'z'; b++ {
			pairs = append(pairs, string(a)+string(b))
		}
	}
	var paths strings.Builder
	for i := range 5_000 {
		fmt.Fprintf(&paths, "content-usage: /%d %s\n", i, strings.Join(letters, ","))
	}
	for name, body := range map[string]string{
		"a long path":  "content-usage: /" + strings.Repeat("x", 200_000) + " " + strings.Join(pairs, ","),
		"many uses":    "content-signal: " + strings.Repeat("a,", 100_000),
		"control":      "content-signal: " + strings.Repeat("\x01,", 100_000),
		"a long label": "content-signal: " + strings.Repeat("\x01", 200_000),
		"many paths":   paths.String(),
	} {
		for _, json := range []bool{false, true} {
			told := options{json: json}.records(input.Source{Body: []byte(body)})
			assert.LessOrEqual(t, len(told), 10*len(body), name)
			assert.Equal(t, json && name != "a long path" && name != "a long label", strings.Contains(told, `"more_uses":`), name)
		}
	}
	told := options{json: true}.records(input.Source{Body: []byte("content-usage: /a b=y, c")})
	assert.Contains(t, told, `"path":"/a","says":[{"use":"b","says":"yes","value":"y"},{"use":"c","says":"not stated"}]}`)
	told = options{}.records(input.Source{Body: []byte("content-signal: a=no," + strings.Repeat("a,", 100_000))})
	assert.Regexp(t, `a not stated, and \d+ more on all pages\n$`, told)
}

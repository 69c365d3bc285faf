package usage_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// Whatever the statements of a group are:
//
//   - their order does not matter;
//   - one more statement on the path that counts, or one more content-signal, never turns
//     a no into anything else, nor a yes into nothing;
//   - nor do the statements of a page.
func FuzzStatements(f *testing.F) {
	for _, lines := range []string{
		"u/a train-ai=n\nutrain-ai=y, search=n\nsai-train=no,search=yes", "u/a* x=y\nu/*b x=n\nu/ab$ x=?1", "u\nu,\nu/ \ns\ns=,=", "u/%61 a=y\nu/a a=y;b",
	} {
		for _, extra := range []string{"train-ai=y", "x=y, x=n", "ai-train=no", "A", "search"} {
			f.Add(lines, extra, "/ab")
		}
	}
	f.Fuzz(func(t *testing.T, text, extra, target string) {
		lines := []string{}
		for line := range strings.SplitSeq(clean(text), "\n") {
			if value, ok := strings.CutPrefix(line, "u"); ok {
				lines = append(lines, "content-usage: "+value)
			} else {
				lines = append(lines, "content-signal: "+line)
			}
		}
		before := ofGroup(lines, target)
		requireMore(t, before, before.And(usage.OfHeader(map[string][]string{"Content-Usage": {extra}, "X-Robots-Tag": {text}}).Statement))

		extra = clean(strings.ReplaceAll(extra, "\n", ""))
		requireMore(t, before, ofGroup(append(lines, "content-signal: "+extra), target))
		if extra = strings.TrimLeft(extra, " \t\v\f"); !strings.HasPrefix(extra, "/") {
			requireMore(t, before, ofGroup(append(lines, "content-usage: "+pathOf(lines, target)+extra), target))
		}

		slices.Reverse(lines)
		turned := ofGroup(lines, target)
		requireMore(t, before, turned)
		requireMore(t, turned, before)
	})
}

// clean returns text without the octets that end a value.
func clean(text string) string { return strings.NewReplacer("\r", "", "#", "").Replace(text) }

func ofGroup(lines []string, target string) usage.Statement {
	return usage.Of(robots.Parse([]byte("user-agent: *\n"+strings.Join(lines, "\n"))), target, "ExampleBot")
}

// pathOf returns the path of the content-usage lines that count, and a space.
func pathOf(lines []string, target string) string {
	f := robots.Parse([]byte("user-agent: *\n" + strings.Join(lines, "\n")))
	for _, r := range f.Rules("ExampleBot").Usage(target) {
		if r.Key == "content-usage" && strings.HasPrefix(r.Value, "/") {
			return r.Value[:strings.IndexAny(r.Value, " \t")+1]
		}
	}
	return ""
}

// requireMore requires that more restricts no less than less, also if slips are read, and
// that reading slips restricts more.
func requireMore(t *testing.T, less, more usage.Statement) {
	t.Helper()
	for _, pair := range [][2]usage.Statement{{less, more}, {less.Strictly(), more.Strictly()}, {less, less.Strictly()}} {
		for _, use := range pair[0].Uses() {
			require.GreaterOrEqual(t, pair[1].Allows(use), pair[0].Allows(use), use)
		}
	}
}

// One more no in any header of a page never weakens what the page says, whatever its
// headers are. Nor does a header that is a slip. A first Robots-Tag takes the place of
// X-Robots-Tag, so here it says all that the old one may have said.
func FuzzHeaders(f *testing.F) {
	f.Add("*;noindex, b;noai", "noindex, a: noai", "train-ai=n", "use=reference", "1")
	f.Add("noindex", "none", "train-ai:n, x", "ai-train:no; search=\"no\"", "0")
	f.Add("", "none, noai", "", "", "")
	f.Add("\"a\";noai;noai=?0, (x y), *", "a:", "a=y;b, ai-use=y", "ai_use=n", "")
	f.Fuzz(func(t *testing.T, tag, old, contentUsage, signal, tdm string) {
		headers := func() map[string][]string {
			return map[string][]string{
				"Robots-Tag": {tag}, "X-Robots-Tag": {old}, "Content-Usage": {contentUsage}, "Content-Signal": {signal}, "Tdm-Reservation": {tdm},
			}
		}
		before := usage.OfHeader(headers(), "a")
		for name, no := range map[string]string{
			"Robots-Tag": "*;noindex;nofollow;noai", "X-Robots-Tag": "noindex, noai", "Content-Signal": "ai-train:no, search=no", "Tdm-Reservation": "1",
		} {
			more := headers()
			more[name] = append(more[name], no)
			after := usage.OfHeader(more, "a")
			requireMore(t, before.Statement, after.Statement)
			require.False(t, before.NoIndex() && !after.NoIndex() || before.NoFollow() && !after.NoFollow())
		}
		for slip := range before.Slips() {
			require.True(t, slip.Slip)
			require.NotEqual(t, usage.NotStated, slip.Preference)
			require.LessOrEqual(t, len(slip.Label), 100)
		}
	})
}

// Any file, target and header can be read. Each statement is in the file, and the most
// restrictive one counts.
func FuzzOf(f *testing.F) {
	f.Add("content-signal: a=yes\nuser-agent: *\ncontent-usage: /x train-ai=n", "/x", "noindex, a: unavailable_after: Fri, 1 Jan 2020, b")
	f.Add("\xEF\xBB\xBFcontent-usage: a\r\rcontent-usage: /* b=\"x\"", "//x/?%", "<a>; rel=license; type=\"")
	f.Fuzz(func(t *testing.T, body, target, value string) {
		file := robots.Parse([]byte(body))
		lines := []string{""}
		for _, line := range robots.Lines([]byte(body)) {
			lines = append(lines, string(line))
		}
		statement := usage.Of(file, target, "a", "b")
		counts := make(map[usage.Use]usage.Preference)
		for said := range statement.All() {
			counts[said.Use] = max(counts[said.Use], said.Preference)
			require.Contains(t, lines[said.Line], said.Label)
			require.Contains(t, lines[said.Line], said.Value)
			require.Contains(t, lines[said.Line], said.Path)
		}
		for use, preference := range counts {
			require.Equal(t, preference, statement.Allows(use), use)
		}
		for r := range file.Records() {
			usage.OfRecord(r)
		}
		requireSame(t, statement, usage.Read(file).OfRules(file.Rules("a", "b"), target))
		usage.Licenses(file)
		page := usage.OfHeader(map[string][]string{
			"Content-Usage": {value}, "Content-Signal": {value}, "X-Robots-Tag": {value}, "Link": {value}, "Tdm-Reservation": {value},
		}, "a", "b")
		for _, d := range page.Directives {
			require.NotEmpty(t, d.Name)
			require.Contains(t, []string{"", "a", "b"}, strings.ToLower(d.Agent))
		}
		page.UnavailableAfter()
		usage.OfMeta([]usage.Meta{{Name: "robots", Content: value}, {Name: target, Content: value}}, "a")
	})
}

// requireSame requires that two statements say the same of every use, for the same reason.
func requireSame(t *testing.T, a, b usage.Statement) {
	t.Helper()
	for _, pair := range [][2]usage.Statement{{a, b}, {a.Strictly(), b.Strictly()}} {
		require.Equal(t, pair[0].Uses(), pair[1].Uses())
		require.Equal(t, slices.Collect(pair[0].Slips()), slices.Collect(pair[1].Slips()))
		for _, use := range append(pair[0].Uses(), ofFiles...) {
			require.Equal(t, pair[0].Allows(use), pair[1].Allows(use), use)
			first, stated := pair[0].Why(use)
			second, statedToo := pair[1].Why(use)
			require.Equal(t, first, second, use)
			require.Equal(t, stated, statedToo)
			if stated {
				require.Equal(t, first.Preference, pair[0].Allows(use))
			}
		}
	}
}

// The statements of a hostile file take memory in proportion to the file.
func TestHostile(t *testing.T) {
	long.NotShort(t)
	for name, line := range map[string]string{
		"statements on one path": "content-usage: /*a*a*b a=n\n",
		"bare":                   "content-usage: a\n",
		"signals":                "content-signal: a=no\n",
		"slips":                  "content-signal: a=no; search:yes; search:yes; search=\"yes\"\n",
		"keys that are slips":    "content-signals: a=no\n",
		"one statement":          "content-usage: " + strings.Repeat("a=n,", robots.MaxSize/5) + "a=n",
		"one of many labels":     "content-usage: " + manyLabels() + "a=n",
		"one signal":             "content-signal: " + strings.Repeat("a,", robots.MaxSize/3),
		"strings":                "content-usage: a=\"" + strings.Repeat(`\"`, robots.MaxSize/3) + "\n",
		"lists":                  "content-usage: a=" + strings.Repeat("(", robots.MaxSize-100) + "\n",
		"parameters":             "content-usage: a" + strings.Repeat(";a", robots.MaxSize/3) + "\n",
	} {
		body := []byte(strings.Repeat(line, 1+robots.MaxSize/2/len(line)))
		for _, before := range []string{"user-agent: *\n", "", "content-signal: a=yes\nuser-agent: *\n"} {
			f := robots.Parse(append([]byte(before), body...))
			target := "/" + strings.Repeat("a", 2000) + "b"
			usage.Of(f, target) // makes the indexes that later queries use
			taken := allocated(func() { usage.Of(f, target).Allows(usage.TrainAI) })
			assert.LessOrEqual(t, taken, 20*len(body), "%s after %q", name, before)
			taken = allocated(func() { usage.Of(f, target).Strictly().Allows(usage.TrainAI) })
			assert.LessOrEqual(t, taken, 40*len(body), "%s after %q, strictly", name, before)
			taken = allocated(func() { usage.Read(f) })
			assert.LessOrEqual(t, taken, 40*len(body), "%s after %q, read at once", name, before)
		}
	}
}

func manyLabels() string {
	var b strings.Builder
	for i := 0; b.Len() < robots.MaxSize-100; i++ {
		b.WriteString("a" + strings.Repeat("b", i%50) + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + ",")
	}
	return b.String()
}

func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

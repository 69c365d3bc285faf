package usage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// said returns what a file says to ExampleBot about a target, as "use=preference" and
// the line that decides.
func said(body, target string) string {
	s := usage.Of(robots.Parse([]byte(body)), target, "ExampleBot")
	var all []string
	for _, use := range s.Uses() {
		text := string(use) + " " + s.Allows(use).String()
		if why, ok := s.Why(use); ok {
			text += " " + string(rune('0'+why.Line))
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// The rules by which statements count, one at a time.
func TestPrecedence(t *testing.T) {
	for _, test := range []struct{ name, body, target, want string }{
		{"no file", "", "/", ""},
		{"nothing said", "user-agent: *\ndisallow: /x", "/", ""},
		{"nothing said to us", "user-agent: a\ncontent-usage: train-ai=n\ndisallow:\nuser-agent: *\ndisallow:", "/", ""},

		{"the longest path", "user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /a/b train-ai=y", "/a/b/c", "train-ai yes 3"},
		{"the longest path, wherever it stands", "user-agent: *\ncontent-usage: /a/b train-ai=y\ncontent-usage: /a train-ai=n", "/a/b/c", "train-ai yes 2"},
		{"a shorter path that matches", "user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /a/b train-ai=y", "/a/c", "train-ai no 2"},
		{"any path before none", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: / train-ai=y", "/", "train-ai yes 3"},
		{"no path that matches", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /x train-ai=y", "/", "train-ai no 2"},
		{"the longest path as a whole", "user-agent: *\ncontent-usage: train-ai=n, search=y\ncontent-usage: /x search=n", "/x", "search no 3"},
		{"a longest path that is malformed", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /x TRAIN-AI=y", "/x", ""},
		{"a path without a statement", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: /x", "/x", "train-ai no 2"},
		{"a wildcard", "user-agent: *\ncontent-usage: /*.pdf$ train-ai=n", "/a/b.pdf", "train-ai no 2"},
		{"a wildcard that does not match", "user-agent: *\ncontent-usage: /*.pdf$ train-ai=n", "/a/b.pdf?x", ""},
		{"encoded", "user-agent: *\ncontent-usage: /a%20b/\u00e9 train-ai=n", "/a b/%c3%a9", "train-ai no 2"},
		{"a tab", "user-agent: *\ncontent-usage: /a\t\ttrain-ai=n # more", "/a", "train-ai no 2"},
		{"a query", "user-agent: *\ncontent-usage: /*?print= train-ai=n", "https://example.com/a?print=1#x", "train-ai no 2"},
		{"a path needs its slash", "user-agent: *\ncontent-usage: *.pdf train-ai=n", "/a.pdf", ""},

		{"no before yes on a path", "user-agent: *\ncontent-usage: /a train-ai=y\ncontent-usage: /a train-ai=n", "/a", "train-ai no 3"},
		{"no before yes without a path", "user-agent: *\ncontent-usage: train-ai=n\ncontent-usage: train-ai=y", "/a", "train-ai no 2"},
		{"two statements on a path", "user-agent: *\ncontent-usage: /a train-ai=n\ncontent-usage: /a search=y", "/a", "train-ai no 2, search yes 3"},
		{"spelled in another way", "user-agent: *\ncontent-usage: /%61 train-ai=y\ncontent-usage: /a train-ai=n", "/a", "train-ai no 3"},
		{"equally long", "user-agent: *\ncontent-usage: /a* train-ai=y\ncontent-usage: /*b train-ai=n", "/ab", "train-ai no 3"},

		{"no before yes of both signals", "user-agent: *\ncontent-signal: ai-train=yes\ncontent-usage: train-ai=n", "/", "train-ai no 3"},
		{"no before yes of both signals, turned round", "user-agent: *\ncontent-signal: ai-train=no\ncontent-usage: train-ai=y", "/", "train-ai no 2"},
		{"a signal counts on every path", "user-agent: *\ncontent-signal: ai-train=no\ncontent-usage: /a train-ai=y", "/a", "train-ai no 2"},
		{"a signal with a path", "user-agent: *\ncontent-signal: /a ai-train=yes, search=no\ncontent-signal: *.pdf ai-input=no", "/a", "/a ai-train not stated, search no 2, *.pdf ai-input not stated"},
		{"two words", "user-agent: *\ncontent-signal: ai train=no", "/", "ai train not stated"},
		{"either name in either signal", "user-agent: *\ncontent-signal: train-ai=no\ncontent-usage: ai-train=y", "/", "train-ai no 2"},
		{"both names in one record", "user-agent: *\ncontent-usage: ai-train=n, train-ai=y", "/", "train-ai no 2"},
		{"both names in one record, turned round", "user-agent: *\ncontent-usage: train-ai=n, ai-train=y", "/", "train-ai no 2"},
		{"a use that one signal knows", "user-agent: *\ncontent-signal: ai-input=no\ncontent-usage: train-ai=y", "/", "ai-input no 2, train-ai yes 3"},

		{"outside", "content-signal: search=yes\nuser-agent: *\ndisallow: /x", "/", "search yes 1"},
		{"outside, and no group is ours", "content-signal: search=yes\nuser-agent: b\ndisallow: /x", "/", "search yes 1"},
		{"outside, and there is no group", "content-signal: search=yes", "/", "search yes 1"},
		{"outside, contradicted", "content-signal: ai-train=no\nuser-agent: *\ncontent-signal: ai-train=yes", "/", "train-ai yes 3"},
		{"outside, contradicted on one path", "content-usage: train-ai=y\nuser-agent: *\ncontent-usage: /a train-ai=n", "/a", "train-ai no 3"},
		{"outside, not contradicted on another", "content-usage: train-ai=y\nuser-agent: *\ncontent-usage: /a train-ai=n", "/b", "train-ai yes 1"},
		{"outside, one use of two", "content-signal: ai-train=no, search=no\nuser-agent: *\ncontent-signal: ai-train=yes", "/", "train-ai yes 3, search no 1"},
		{"outside, by a value that is none", "content-signal: ai-train=no\nuser-agent: *\ncontent-signal: ai-train=maybe", "/", "train-ai no 1"},
		{"outside, with a path", "content-usage: /a train-ai=n\ncontent-usage: train-ai=y\nuser-agent: *\ndisallow:", "/a", "train-ai no 1"},
		{"what follows a group is in it", "user-agent: b\ndisallow:\n\nsitemap: x\ncontent-signal: ai-train=no", "/", ""},

		{"our group, not that for all", "user-agent: *\ncontent-signal: ai-train=no\nallow: /\nuser-agent: examplebot\ndisallow: /x", "/", ""},
		{"our groups are one", "user-agent: ExampleBot\ncontent-usage: /a train-ai=y\nuser-agent: b\ndisallow:\nuser-agent: examplebot/2\ncontent-usage: /a/b train-ai=n", "/a/b", "train-ai no 6"},
		{"for two of our groups, without a path", "user-agent: ExampleBot\ncontent-usage: train-ai=y\nuser-agent: examplebot\ncontent-usage: train-ai=n", "/", "train-ai no 4"},
		{"it does not end the list of agents", "user-agent: ExampleBot\ncontent-usage: train-ai=n\nuser-agent: b\ndisallow: /x\nuser-agent: b\ncontent-usage: train-ai=y", "/", "train-ai no 2"},

		{"a label that nobody knows, and levels", "user-agent: *\ncontent-signal: paint=no, use=reference", "/", "paint no 2, immediate yes 2, reference yes 2, full no 2"},
		{"values that are neither", "user-agent: *\ncontent-signal: search=y\ncontent-usage: train-ai=no, search=?1", "/", "search not stated, train-ai not stated"},
		{"case", "USER-AGENT: *\nContent-SIGNAL: Search=YES , AI-Train = No", "/", "search yes 2, train-ai no 2"},
		{"bare", "user-agent: *\ncontent-signal:\ncontent-usage:\ncontent-signal: ,=,=no, search", "/", "search not stated"},
	} {
		assert.Equal(t, test.want, said(test.body, test.target), test.name)
	}
}

func TestSaid(t *testing.T) {
	s := usage.Of(robots.Parse([]byte("Content-Signal: ai-train=no\nUser-agent: *\nContent-Usage: /a search=n;x=1, draw")), "/a")
	assert.Equal(t, []usage.Said{
		{Use: usage.Search, Preference: usage.No, Label: "search", Value: "n", Source: "content-usage", Path: "/a", Line: 3},
		{Use: "draw", Label: "draw", Source: "content-usage", Path: "/a", Line: 3},
		{Use: usage.TrainAI, Preference: usage.No, Label: "ai-train", Value: "no", Source: "content-signal", Line: 1, Outside: true},
	}, slices.Collect(s.All()))
	why, ok := s.Why("ai-train")
	assert.True(t, ok)
	assert.Equal(t, "content-signal: ai-train=no", why.String())
	assert.True(t, why.Outside)
	why, ok = s.Why("draw")
	assert.False(t, ok)
	assert.Zero(t, why)

	s = usage.Of(robots.Parse([]byte("Content-Signal: ai-train=no, search=no\nUser-agent: *\nContent-Signal: ai-train=maybe, search=yes, ai-input:no, use:full")), "/")
	var all []string
	for said := range s.Strictly().All() {
		all = append(all, said.String()+" "+said.Preference.String())
	}
	assert.Equal(t, []string{
		"content-signal: ai-train=maybe not stated", "content-signal: search=yes yes", "content-signal: ai-input:no not stated", "content-signal: use:full not stated",
		"content-signal: ai-train=no no", "content-signal: ai-train=maybe, search=yes, ai-input:no, use:full no",
	}, all, "a slip that means yes says nothing")
}

// Most cuts a long list, and keeps what decides on each known use.
func TestMost(t *testing.T) {
	s := usage.Of(robots.Parse([]byte("user-agent: *\ncontent-signal: a=no, b=no, c=no, search=yes, ai-train=no")), "/")
	for n, want := range []string{"search ai-train", "a search ai-train", "a b search ai-train", "a b c search ai-train", "a b c search ai-train", "a b c search ai-train", "a b c search ai-train"} {
		var labels []string
		for _, said := range s.Most(n) {
			labels = append(labels, said.Label)
		}
		assert.Equal(t, want, strings.Join(labels, " "), n)
	}
}

// A value that is right in the other signal is a slip, and means the same. Of two, the more restrictive counts.
func TestValueOfTheOtherSignal(t *testing.T) {
	for line, want := range map[string]usage.Preference{
		"content-signal: ai-train=y": usage.Yes, "content-signal: ai-train=N": usage.No, "content-usage: train-ai=yes": usage.Yes, "content-usage: train-ai=no": usage.No,
		"content-signal: ai-train:no, ai-train:yes": usage.No, "content-signal: ai-train:yes, ai-train:no": usage.No, "content-signal: ai-train:yes, train-ai:yes": usage.Yes,
	} {
		s := usage.Of(robots.Parse([]byte("user-agent: *\n"+line)), "/")
		assert.Equal(t, usage.NotStated, s.Allows(usage.TrainAI), line)
		slips := slices.Collect(s.Slips())
		if assert.Len(t, slips, 1, line) {
			assert.Equal(t, want, slips[0].Preference, line)
		}
	}
	for size, want := range map[int]int{100: 100, 101: 100} {
		slip := "ai-train:no" + strings.Repeat(",", size-len("ai-train:no"))
		slips := slices.Collect(usage.Of(robots.Parse([]byte("user-agent: *\ncontent-signal: "+slip)), "/").Slips())
		if assert.Len(t, slips, 1) {
			assert.Equal(t, slip[:want], slips[0].Label)
		}
	}
}

func TestZeroStatement(t *testing.T) {
	var s usage.Statement
	assert.Equal(t, usage.NotStated, s.Allows(usage.Search))
	assert.Empty(t, s.Uses())
	assert.Equal(t, s, s.And(s))
}

// No wins, whichever line says it.
func TestAnd(t *testing.T) {
	of := func(p usage.Preference) usage.Statement {
		return usage.Of(robots.Parse([]byte("user-agent: *\n"+[]string{"", "content-usage: search=y", "content-usage: search=n"}[p])), "/")
	}
	for _, a := range []usage.Preference{usage.NotStated, usage.Yes, usage.No} {
		for _, b := range []usage.Preference{usage.NotStated, usage.Yes, usage.No} {
			assert.Equal(t, max(a, b), of(a).And(of(b)).Allows(usage.Search), "%v and %v", a, b)
		}
	}
	slip := usage.Of(robots.Parse([]byte("user-agent: *\ncontent-usage: search=no")), "/")
	assert.Equal(t, usage.NotStated, slip.And(slip).Allows(usage.Search))
	assert.Equal(t, usage.No, slip.Strictly().And(of(usage.NotStated)).Allows(usage.Search), "one of the two is strict")
	assert.Equal(t, usage.No, of(usage.NotStated).And(slip.Strictly()).Allows(usage.Search))
}

func TestPreferenceText(t *testing.T) {
	var texts []string
	for _, p := range []usage.Preference{usage.NotStated, usage.Yes, usage.No} {
		text, err := p.MarshalText()
		assert.NoError(t, err)
		texts = append(texts, string(text))
		var back usage.Preference
		assert.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, p, back)
	}
	p := usage.Yes
	assert.EqualError(t, p.UnmarshalText([]byte("maybe")), `usage: "maybe" is no preference: write yes, no or not stated`)
	assert.Equal(t, usage.Yes, p)
	assert.Equal(t, []string{"not stated", "yes", "no"}, texts)
}

func TestNothingSaidCostsNothing(t *testing.T) {
	f := robots.Parse([]byte("user-agent: *\ndisallow: /x\n" + strings.Repeat("sitemap: https://example.com/\nhost: x\n", 1000)))
	rules := f.Rules("ExampleBot")
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		usage.Of(f, "https://example.com/a?b=c", "ExampleBot").Allows(usage.TrainAI)
		usage.OfRules(rules, "/%61").Allows(usage.TrainAI)
	}))
}

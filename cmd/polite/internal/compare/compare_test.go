package compare

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// What changes most for a crawler is told first.
func TestHeadlines(t *testing.T) {
	const some, nothing = "\ndisallow: /x\n", "\ndisallow: /\n"
	for _, test := range []struct {
		name, old, new string
		want           []string
	}{
		{"nothing changes", "user-agent: *" + some, "user-agent: *" + some, nil},
		{"a path", "user-agent: *" + some, "user-agent: *\ndisallow: /y", nil},
		{"all is disallowed", "user-agent: *" + some, "user-agent: *" + some + nothing, []string{"*: may now fetch nothing"}},
		{"all but a page", "user-agent: *" + some, "user-agent: *" + nothing + "allow: /a", []string{"*: may now fetch nothing but /a"}},
		{"all but a page, as before", "user-agent: *" + nothing + "allow: /b", "user-agent: *" + nothing + "allow: /a", nil},
		{"all but the home page", "user-agent: *" + some, "user-agent: *\ndisallow: /*\nallow: /$\nallow: /ads.txt", []string{"*: may now fetch nothing but /$, /ads.txt"}},
		{"an allow for all", "user-agent: *" + some, "user-agent: *" + nothing + "allow: /*\ndisallow: /yy", nil},
		{"an allow that a longer disallow beats", "user-agent: *" + some, "user-agent: *\ndisallow: /*\nallow: /a\ndisallow: /a*", []string{"*: may now fetch nothing"}},
		{"all is allowed", "user-agent: *" + some, "user-agent: *\nallow: /", []string{"*: may now fetch everything"}},
		{"all was disallowed already", "user-agent: *" + nothing, "user-agent: *\ndisallow: /*", nil},
		{"groups of their own", "user-agent: *" + some, "user-agent: *" + some + "user-agent: a\nuser-agent: b\ndisallow: /y", []string{"a b: now by a group of its own, not by *"}},
		{"a group with the same rules", "user-agent: *" + some, "user-agent: *" + some + "user-agent: a" + some, nil},
		{"a group is gone", "user-agent: *" + some + "user-agent: a" + nothing, "user-agent: *" + some, []string{"a: now by *, not by a group of its own"}},
		{"the only group is gone", "user-agent: a" + nothing, "user-agent: *", []string{"a: may now fetch everything; now by *, not by a group of its own"}},
		{"no group at all", "user-agent: a" + nothing, "", []string{"a: may now fetch everything; no group any more"}},
		{"a new group", "", "user-agent: a" + nothing, []string{"a: may now fetch nothing; now by a group of its own"}},
		{"another spelling", "user-agent: A" + nothing, "user-agent: a" + some, nil},
	} {
		old, new := robots.Parse([]byte(test.old)), robots.Parse([]byte(test.new))
		crawlers, _ := Crawlers(old, new)
		c := New(old, new, crawlers)
		invented, all := c.Invented(t.Context())
		assert.True(t, all)
		var got []string
		for _, h := range c.Headlines(invented) {
			got = append(got, strings.Join(h.Crawlers, " ")+": "+h.What)
		}
		assert.Equal(t, test.want, got, test.name)
	}
	c := New(robots.Parse(nil), robots.Parse([]byte("user-agent: *"+nothing)), [][]string{{"a"}}) // which no file names
	invented, _ := c.Invented(t.Context())
	assert.Equal(t, []Headline{{What: "may now fetch nothing; now by *", Crawlers: []string{"a"}}}, c.Headlines(invented))
}

// A rule is told at its first line, whoever has it first.
func TestRules(t *testing.T) {
	const one, each = "user-agent: a\nuser-agent: b\nallow: /\n", "user-agent: a\ndisallow: /x\n\nuser-agent: b\ndisallow: /x\ndisallow: /x\n"
	for _, crawlers := range [][][]string{{{"a"}, {"b"}}, {{"b"}, {"a"}}} {
		told := func(old, new string) (all []string) {
			for _, c := range New(robots.Parse([]byte(old)), robots.Parse([]byte(new)), crawlers).Others(nil) {
				all = append(all, fmt.Sprint(c.Change, " ", c.Text, " ", c.OldLine, c.NewLine, len(c.From), len(c.Crawlers)))
			}
			return all
		}
		assert.Equal(t, []string{"gone disallow: /x 2 0 2 0", "new allow: / 0 3 0 2"}, told(each, one))
		assert.Equal(t, []string{"gone allow: / 3 0 2 0", "new disallow: /x 0 2 0 2"}, told(one, each))
		assert.Equal(t, []string{"moved allow: /y 4 2 1 1", "moved disallow: /x 2 4 1 1"}, told("user-agent: a\ndisallow: /x\nuser-agent: b\nallow: /y\n", "user-agent: a\nallow: /y\nuser-agent: b\ndisallow: /x\n"))
	}
}

func TestInventedEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := robots.Parse([]byte("user-agent: *\ndisallow: /x\n"))
	_, all := New(file, file, [][]string{{"*"}}).Invented(ctx)
	assert.False(t, all)
}

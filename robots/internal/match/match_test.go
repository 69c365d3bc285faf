package match

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots/internal/syntax"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setOf returns a Set of disallow rules, one a line, or of allow rules with a "+" before the pattern.
func setOf(patterns ...string) (*Set, Section) {
	var b Builder
	for i, pattern := range patterns {
		pattern, allow := strings.CutPrefix(pattern, "+")
		b.Add(uint32(i+1), allow, []byte(pattern))
	}
	section := Section{0, uint32(len(patterns))}
	b.EndGroup(section)
	s := new(Set)
	b.Build(s, Text(b.Text))
	return s, section
}

// Which rule decides: by a look at each rule, by the index of a long group, and by a walk.
func TestDecide(t *testing.T) {
	tests := []struct {
		path  string
		rules []string
		want  string // the deciding rule; "" for none
	}{
		{"/abc", []string{"/ab", "/abcd", "/a"}, "/ab"},
		{"/abc", []string{"/ab", "+/ab", "/abc$", "/ab$"}, "/abc$"},
		{"/ab", []string{"/ab", "+/ab"}, "+/ab"},
		{"/a", []string{"/", "/ab"}, "/"},
		{"/ah", []string{"/ah"}, "/ah"}, // the tag has the lowest bit
		{"/", []string{"/$", "/"}, "/$"},
		{"/a", []string{"/$", "/b"}, ""},
		{"/xabcabd", []string{"/*ab*ab"}, "/*ab*ab"},
		{"/xabd", []string{"/*ab*ab"}, ""},
		{"/ababab", []string{"*ab*ab*ab"}, "*ab*ab*ab"},
		{"/aaa", []string{"*aa*aa"}, ""},
		{"/aaaa", []string{"*aa*aa"}, "*aa*aa"},
		{"/abc", []string{"*abcd", "*bc", "*c", "*abc"}, "*abc"},
		{"/abc", []string{"*c", "*bc$", "*b"}, "*bc$"},
		{"/abcd", []string{"*bc$", "*b"}, "*b"},
		{"/a", []string{"/*a$", "*a*"}, "/*a$"},
		{"/aXb", []string{"/a*b*", "/a**b", "/b*"}, "/a*b*"},
		{"/ab", []string{"/ab*b$", "/ab*"}, "/ab*"},
		{"/a", []string{"*$", "**"}, "*$"},
		{"/?", []string{"*?*?"}, ""},
		{"/", []string{"/a*", "//*"}, ""},
		{"/b/a", []string{"/a*", "/b*c"}, ""},

		// In a query a literal has two forms, and the form that ends first counts.
		{"/x?a:b", []string{"*a%3Ab"}, "*a%3Ab"},
		{"/x?ya:bc", []string{"*a%3Ab*c"}, "*a%3Ab*c"},
		{"/x?ya:bc", []string{"*a%3Ab*bc"}, ""},
		{"/x?ya:b", []string{"*a%3Ab$", "*a%3A$"}, "*a%3Ab$"},
		{"/a:b", []string{"*a%3Ab"}, ""},
		{"/a:b", []string{"*a%3Ab$"}, ""},
		{"/a:b?c", []string{"*a%3Ab*c"}, ""},
		{"/a%3Ab", []string{"*a%3Ab"}, "*a%3Ab"},
		{"/%3A?:x", []string{"*%3A*%3A*x", "*%3A*%3A*%3A"}, "*%3A*%3A*x"},
		{"/?:%3Ax", []string{"*%3A*%3Ax$"}, "*%3A*%3Ax$"},
		{"/?a/", []string{"/*%2F$", "*a%2F%2F$"}, "/*%2F$"},
		{"/%2F", []string{"/*%2F$"}, "/*%2F$"},
		{"/:?", []string{"/*%3A$"}, ""},
		{"/?::::%3A", []string{"*%3A*%3A*%3A*%3A*%3A"}, "*%3A*%3A*%3A*%3A*%3A"},
	}
	for _, test := range tests {
		for _, others := range []int{0, longGroup} { // with an index
			rules := test.rules
			for i := range others {
				rules = append(rules[:len(rules):len(rules)], fmt.Sprintf("/never/%d", i), fmt.Sprintf("*never*%d", i))
			}
			s, section := setOf(rules...)
			path := string(syntax.AppendNormal(nil, syntax.PathOf(test.path), false))
			want := Rule(0)
			for i, pattern := range test.rules {
				if pattern == test.want {
					want = s.Rules[i]
				}
			}
			require.Equal(t, test.want == "", want == 0)
			p := Unlimited(path)
			assert.Equal(t, want, s.Decide(section, &p, 0), "%s by %q", test.path, test.rules)
			assert.False(t, p.Overspent())
			spent := Within(0, path)
			assert.Equal(t, want, s.Walk([]Section{section}, &spent, s.Decide(section, &spent, 0)), "%s by a walk over %q", test.path, test.rules)
			longest, _ := s.Longest([]Section{section}, path, Budget)
			walked, _ := s.Longest([]Section{section}, path, 0)
			assert.Equal(t, longest, walked)
			assert.Equal(t, want != 0, len(longest) > 0)
			for _, r := range longest {
				assert.Equal(t, want.Pattern().Size, r.Pattern().Size)
			}
		}
	}
}

// All rules that are the longest are found, in the order of their lines.
func TestLongest(t *testing.T) {
	s, section := setOf("/a", "*b", "/ab", "+*ab", "/*b", "/ab", "*ac")
	for _, budget := range []int64{Budget, 0} {
		longest, _ := s.Longest([]Section{section}, "/ab", budget)
		var lines []uint32
		for _, r := range longest {
			lines = append(lines, r.Line())
		}
		assert.Equal(t, []uint32{3, 4, 5, 6}, lines)
	}
}

// What a rule was like before its normal form is kept, and counts as memory.
func TestWritten(t *testing.T) {
	s, _ := setOf("/a", "/%61", "/b", "/%62*")
	for i, want := range []string{"/a", "/%61", "/b", "/%62*"} {
		assert.Equal(t, want, s.Written(s.Rules[i]))
	}
	assert.Equal(t, "/b*", s.Pattern(s.Rules[3]))
	plain, _ := setOf("/a", "/a", "/b", "/b*")
	assert.Equal(t, plain.Size()+len("/%61/%62*")+2*12, s.Size())
	assert.Zero(t, s.Grown())
	long, section := setOf("*" + strings.Repeat("a", 5000))
	path := Within(0, "/a")
	long.Walk([]Section{section}, &path, 0)
	assert.Greater(t, long.Grown(), 5000*8, "a node for each octet of a literal")
	few, _ := setOf("/a", "/a", "/b")
	assert.GreaterOrEqual(t, plain.Size(), few.Size()+len("/b*")+8)
}

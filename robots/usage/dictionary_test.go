package usage

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Dictionaries, by the sections of RFC 9651 that say how to read their parts. If a
// dictionary is malformed, nothing of it counts.
func TestDictionary(t *testing.T) {
	for _, test := range []struct{ section, value, want string }{
		{"4.2.2", "", ""},
		{"4.2.2", "  ", ""},
		{"4.2.2", "a=y", "a=y t"},
		{"4.2.2", "  a=y , b=n\t,\tc=x  ", "a=y t, b=n t, c=x t"},
		{"4.2.2", "a,b", "a, b"},
		{"4.2.2", "a=1, b=2, a=3", "a=3, b=2"},
		{"4.2.2", "a=y,", "malformed"},
		{"4.2.2", "a=y,,b=n", "malformed"},
		{"4.2.2", ",a", "malformed"},
		{"4.2.2", "a=y b=n", "malformed"},
		{"4.2.2", "a=", "malformed"},
		{"4.2.2", "a= y", "malformed"},
		{"4.2.2", "a =y", "malformed"},
		{"4.2.2", "\ta=y", "malformed"},
		{"4.2.3.3", "A=y", "malformed"},
		{"4.2.3.3", "1a=y", "malformed"},
		{"4.2.3.3", "a_-.*9=y, *=n", "a_-.*9=y t, *=n t"},
		{"4.2.3.3", "a!=y", "malformed"},
		{"4.2.3.2", "a=y;b;c=1; d=?0", "a=y t"},
		{"4.2.3.2", "a;b=1", "a"},
		{"4.2.3.2", "a=y;", "malformed"},
		{"4.2.3.2", "a=y;B", "malformed"},
		{"4.2.3.2", "a=y;b=", "malformed"},
		{"4.2.3.2", "a=y ;b", "malformed"},
		{"4.2.1.2", "a=(), b=(x  y;p 1), c=( x )", "a=(), b=(x  y;p 1), c=( x )"},
		{"4.2.1.2", "a=(", "malformed"},
		{"4.2.1.2", "a=(x", "malformed"},
		{"4.2.1.2", "a=(x,y)", "malformed"},
		{"4.2.1.2", "a=((x))", "malformed"},
		{"4.2.4", "a=0, b=-1, c=999999999999999, d=-0.125, e=123456789012.5", "a=0, b=-1, c=999999999999999, d=-0.125, e=123456789012.5"},
		{"4.2.4", "a=9999999999999999", "malformed"},
		{"4.2.4", "a=1.", "malformed"},
		{"4.2.4", "a=1.2345", "malformed"},
		{"4.2.4", "a=1234567890123.1", "malformed"},
		{"4.2.4", "a=-", "malformed"},
		{"4.2.4", "a=--1", "malformed"},
		{"4.2.5", `a="", b="x, y\"\\"`, `a="", b="x, y\"\\"`},
		{"4.2.5", `a="x`, "malformed"},
		{"4.2.5", `a="\x"`, "malformed"},
		{"4.2.5", "a=\"\t\"", "malformed"},
		{"4.2.5", `a="é"`, "malformed"},
		{"4.2.6", "a=*x/:!#$%&'+-.^_`|~9", "a=*x/:!#$%&'+-.^_`|~9 t"},
		{"4.2.6", "a=Yes", "a=Yes t"},
		{"4.2.6", "a=x=y", "malformed"},
		{"4.2.7", "a=:aGk=:, b=::, c=:aGk:", "a=:aGk=:, b=::, c=:aGk:"},
		{"4.2.7", "a=:aGk=", "malformed"},
		{"4.2.7", "a=:a:", "malformed"},
		{"4.2.7", "a=:a_-=:", "malformed"},
		{"4.2.8", "a=?0, b=?1", "a=?0, b=?1"},
		{"4.2.8", "a=?2", "malformed"},
		{"4.2.8", "a=?", "malformed"},
		{"4.2.9", "a=@1659578233, b=@-1", "a=@1659578233, b=@-1"},
		{"4.2.9", "a=@1.5", "malformed"},
		{"4.2.9", "a=@", "malformed"},
		{"4.2.10", `a=%" ~f%c3%bc%22", b=%""`, `a=%" ~f%c3%bc%22", b=%""`},
		{"4.2.10", `a=%"%C3%BC"`, "malformed"},
		{"4.2.10", `a=%"%c3"`, "malformed"},
		{"4.2.10", `a=%"%c"`, "malformed"},
		{"4.2.10", `a=%"x`, "malformed"},
		{"4.2.10", `a=%x`, "malformed"},
		{"4.2.10", `a=%"é"`, "malformed"},
		{"4.2.3.1", "a=é", "malformed"},
		{"4.2.3.1", "a=\x00", "malformed"},
	} {
		members := parseDictionary(test.value)
		var texts []string
		for _, m := range members {
			text := m.key
			if m.value != "" {
				text += "=" + m.value
			}
			if m.token {
				text += " t"
			}
			texts = append(texts, text)
		}
		got := strings.Join(texts, ", ")
		if members == nil && strings.Trim(test.value, " ") != "" {
			got = "malformed"
		}
		assert.Equal(t, test.want, got, "§%s: %q", test.section, test.value)
	}
}

// Of many members with the same key, the last counts, as it does for few members.
func TestLongDictionary(t *testing.T) {
	var value strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&value, "k%d=x%d, ", i%100, i)
	}
	members := parseDictionary(value.String() + "k7=y")
	require.Len(t, members, 100)
	assert.Equal(t, member{"k7", "y", true}, members[7])
	assert.Equal(t, member{"k99", "x999", true}, members[99])
}

// A well-formed member is well-formed between others. A malformed member spoils all of
// them.
func FuzzDictionary(f *testing.F) {
	for _, value := range []string{"a=y", "a=(x y;p), b;c=1", `a="x"`, "a=:aGk=:", "a=@1", `a=%"%c3%bc"`, "a=1.5", "A", ",", "a=y,", "a=y;", "a=\t"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		members := parseDictionary(value)
		for _, m := range members {
			require.NotEmpty(t, m.key)
			require.Contains(t, value, m.key)
			require.Contains(t, value, m.value)
			require.True(t, !m.token || isLetter(m.value[0]) || m.value[0] == '*')
		}
		if strings.Trim(value, " ") == "" || strings.HasPrefix(strings.TrimLeft(value, " "), "\t") {
			return
		}
		between := parseDictionary("first=y, " + strings.Trim(value, " ") + " , last=n")
		if members == nil {
			require.Nil(t, between)
			return
		}
		require.NotEmpty(t, between)
		require.Equal(t, member{"last", "n", true}, memberOf(between, "last"))
		for _, m := range members {
			if m.key != "last" {
				require.Equal(t, m, memberOf(between, m.key))
			}
		}
	})
}

func memberOf(members []member, key string) (last member) {
	for _, m := range members {
		if m.key == key {
			last = m
		}
	}
	return last
}

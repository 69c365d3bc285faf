package fix

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDiff(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"a\nb\nc\n", "a\nB\nc\n", "@@ -2 +2,1 @@\n-b\n+B\n"},
		{"a\nb\nc\n", "a\nb1\nb2\nc\n", "@@ -2 +2,2 @@\n-b\n+b1\n+b2\n"},
		{"a\nb\nc\nd\n", "a\nd\n", "@@ -2 +1,0 @@\n-b\n@@ -3 +1,0 @@\n-c\n"},
		{"a\nb\n", "b\n", "@@ -1 +0,0 @@\n-a\n"},
		{"a\nb\n", "a\n", "@@ -2 +1,0 @@\n-b\n"},
		{"a\nb\nc\n", "a\nC\n", "@@ -2 +2,1 @@\n-b\n+C\n@@ -3 +2,0 @@\n-c\n"},
		{"b*\nx\ny\nb\n", "b\nx\ny\nb\n", "@@ -1 +1,1 @@\n-b*\n+b\n"},
		{"a\na\na\n", "a\n", "@@ -2 +1,0 @@\n-a\n@@ -3 +1,0 @@\n-a\n"},
	} {
		assert.Equal(t, "--- f\n+++ f\n"+test.want, Diff("f", []byte(test.before), []byte(test.after)), test.before+test.after)
	}
}

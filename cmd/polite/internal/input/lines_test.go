package input

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestLines(t *testing.T) {
	var got []string
	for line, err := range Lines(strings.NewReader("\uFEFF a \r\n\n# x\n /b#c # d\n#\n/e\t#f\n" + strings.Repeat("b", maxLine+1) + "\nc\n" + strings.Repeat("d", 3*maxLine))) {
		if err != nil {
			line = err.Error()
		}
		got = append(got, line)
	}
	assert.Equal(t, []string{"a", "/b#c", "/e", "a line is longer than any URL", "c", "a line is longer than any URL"}, got)
}

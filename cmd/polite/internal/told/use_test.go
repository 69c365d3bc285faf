package told

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// What decides on each use is told once, and of thousands a few.
func TestUses(t *testing.T) {
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, ", u%d=no", i)
	}
	file := robots.Parse([]byte("user-agent: *\ncontent-signal: search=yes, use=full" + many.String() + "\ncontent-usage: search=n\n"))
	said := usage.Of(file, "/", "a")
	uses := Uses(said)
	assert.Len(t, uses, mostUses)
	assert.Equal(t, Use{usage.Search, usage.No, 3, "content-usage: search=n"}, uses[0])
	assert.Equal(t, Use{"use", usage.NotStated, 2, "content-signal: use=full"}, uses[1])
	line := usesInLine(judge.Verdict{Usage: said})
	assert.True(t, strings.HasPrefix(line, "; use: search no, u0 no, "), line)
	assert.Empty(t, usesInLine(judge.Verdict{}))
}

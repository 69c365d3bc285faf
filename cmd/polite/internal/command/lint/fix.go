package lint

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	edits "github.com/go-polite/polite/cmd/polite/internal/fix"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// edit makes the edits of findings in a file, and shows them, or writes all of standard input with
// its edits made. It returns the text as it is now.
func (o options) edit(ctx context.Context, name string, body []byte, out io.Writer) ([]byte, error) {
	if len(body) > robots.MaxSize {
		return body, verb.Unread(fmt.Errorf("%s is larger than %d octets: shorten it before you fix it", verb.Shown(name), robots.MaxSize))
	}
	after, n := edits.All(ctx, body, func(body []byte) []lint.Finding {
		return slices.DeleteFunc(lint.LintUpTo(body, edits.MostFindings), func(f lint.Finding) bool {
			return o.ignores(f) || f.Edit == nil || f.Edit.Changes && o.fix != "all"
		})
	})
	if ctx.Err() != nil {
		return body, context.Cause(ctx)
	}
	if name == "-" {
		_, err := out.Write(after)
		return after, err
	}
	if n == 0 {
		return body, nil
	}
	if err := os.WriteFile(name, after, 0o600); err != nil { // which keeps the mode of the file
		return body, err
	}
	if !o.isText() {
		return after, nil
	}
	_, err := io.WriteString(out, edits.Diff(verb.Beginning(name), body, after))
	return after, err
}

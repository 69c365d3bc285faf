package robots

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// NamedBy reports whether a line of the file is a user-agent line that names the product
// token of the group that applies: see [Rules.Agent]. [Lines] returns a file's lines.
func (r Rules) NamedBy(line []byte) bool {
	key, value, ok := syntax.Split(line)
	if !ok || len(r.agents) == 0 || syntax.Classify(key) != syntax.UserAgent {
		return false
	}
	long, short := syntax.Tokens(string(value))
	return syntax.CompareFold(long, r.Agent()) == 0 || syntax.CompareFold(short, r.Agent()) == 0
}

// Agents returns the product tokens of the group that has a record, as the file writes
// them and in its order. It returns nil if the record is in no group. A sitemap is in no
// group.
func (f *File) Agents(r Record) []string {
	i, ok := f.recordIn(r.Line)
	if !ok || f.records[i].kind == syntax.Sitemap {
		return nil
	}
	return slices.Collect(f.tokens(func(a agent) bool { return a.group == f.records[i].group }))
}

// Named returns the product tokens that the file names, as it writes them and in its
// order. It includes "*" if there is a group for all other crawlers. A token that is
// written several times, in upper or lower case, is returned once.
func (f *File) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := make(map[string]bool, len(f.agents))
		for name := range f.tokens(func(agent) bool { return true }) {
			if folded := strings.ToLower(name); !seen[folded] {
				seen[folded] = true
				if !yield(name) {
					return
				}
			}
		}
	}
}

// tokens yields the tokens of the agents that are wanted, in the order of the file. It
// leaves out a token that shortens the one before it.
func (f *File) tokens(want func(agent) bool) iter.Seq[string] {
	var written []match.Span
	for _, a := range f.agents {
		if want(a) {
			written = append(written, a.token)
		}
	}
	slices.SortFunc(written, func(a, b match.Span) int { return cmp.Compare(a.At, b.At) })
	return func(yield func(string) bool) {
		for i, token := range written {
			if i > 0 && f.shortens(token, written[i-1]) {
				continue
			}
			if !yield(f.str(token)) {
				return
			}
		}
	}
}

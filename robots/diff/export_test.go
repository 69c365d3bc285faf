package diff

import "github.com/go-polite/polite/robots"

// Compare is Verdicts. It also returns its effort.
func Compare(old, new robots.Rules) (changes []Change, all bool, spent int) {
	c := newComparison(old, new)
	c.run()
	return c.changes(), c.all, c.spent
}

const (
	MaxSpent = maxSpent
	Fillers  = fillers
)

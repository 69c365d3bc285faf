package robots

import "github.com/go-polite/polite/robots/internal/syntax"

// lookup returns the agents for token, one for each group that names it.
func (f *File) lookup(token string) []agent {
	key := keyOf(token)
	first, end := 0, len(f.agents)
	for first < end {
		if middle := int(uint(first+end) / 2); f.agents[middle].key < key || f.agents[middle].key == key && f.precedes(middle, token) {
			first = middle + 1
		} else {
			end = middle
		}
	}
	for end = first; end < len(f.agents) && f.agents[end].key == key && f.names(end, token); end++ {
	}
	return f.agents[first:end]
}

// precedes reports whether the agent at i, which has the key of a token, comes before all
// agents for that token.
func (f *File) precedes(i int, token string) bool {
	named := f.str(f.agents[i].token)
	return named != token && syntax.CompareFold(named, token) < 0
}

// names reports whether the agent at i has the token.
func (f *File) names(i int, token string) bool {
	named := f.str(f.agents[i].token)
	return named == token || syntax.CompareFold(named, token) == 0
}

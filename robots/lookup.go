package robots

import "github.com/go-polite/polite/robots/internal/syntax"

// lookup returns the agents for token, one for each group that names it.
func (f *File) lookup(token string) []agent {
	key := keyOf(token)
	first, end := 0, len(f.agents)
	for first < end {
		if middle := int(uint(first+end) / 2); f.precedes(middle, key, token) {
			first = middle + 1
		} else {
			end = middle
		}
	}
	for end = first; end < len(f.agents) && f.agents[end].key == key && f.names(end, token); end++ {
	}
	return f.agents[first:end]
}

// precedes reports whether the agent at i comes before all agents for a token with
// that key.
func (f *File) precedes(i int, key key, token string) bool {
	if a := &f.agents[i]; a.key != key {
		return a.key < key
	}
	named := f.str(f.agents[i].token)
	return named != token && syntax.CompareFold(named, token) < 0
}

// names reports whether the agent at i has the token.
func (f *File) names(i int, token string) bool {
	named := f.str(f.agents[i].token)
	return named == token || syntax.CompareFold(named, token) == 0
}

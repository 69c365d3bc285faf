package child

import (
	"maps"
	"slices"
	"strings"
)

// An environment is a list of variables, as in "NAME=value".
type environment []string

// get returns the value of a variable; "" if there is none.
func (e environment) get(name string) string {
	for _, variable := range slices.Backward(e) { // the last one counts
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// with returns e with variables set.
func (e environment) with(set map[string]string) environment {
	all := slices.DeleteFunc(slices.Clone(e), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, replaced := set[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		all = append(all, name+"="+set[name])
	}
	return all
}

package glance

import "slices"

// A top keeps the first of many rows, in an order. Of rows with the same name, the first
// stays.
type top[R any] struct {
	order func(a, b R) int
	name  func(R) string
	rows  []R
}

// add adds a row. At most twice as many as most are kept at a time.
func (t *top[R]) add(row R, most int) {
	if t.rows = append(t.rows, row); len(t.rows) > 2*most {
		t.first(most)
	}
}

// first leaves the first rows, and returns them.
func (t *top[R]) first(most int) []R {
	slices.SortStableFunc(t.rows, t.order)
	seen := make(map[string]bool)
	t.rows = slices.DeleteFunc(t.rows, func(row R) bool {
		again := seen[t.name(row)]
		seen[t.name(row)] = true
		return again
	})
	if len(t.rows) > most {
		clear(t.rows[most:])
		t.rows = t.rows[:most]
	}
	return t.rows
}

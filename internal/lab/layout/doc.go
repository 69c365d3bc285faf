// Package layout checks that packages use each other by their methods, and that no function is
// too long to be read at once. It has only tests.
package layout

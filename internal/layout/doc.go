// Package layout holds the house to its plan: imports point down, also between the
// files of a package, and no function or file is too long to be read at once. It has
// tests alone.
package layout

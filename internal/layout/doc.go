// Package layout checks that the code follows its plan: imports point down, also between
// the files of a package, and no function or file is too long to be read at once. It has
// only tests.
package layout

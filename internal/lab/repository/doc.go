// Package repository has the tests of what is promised outside the code: that the
// exported API is what testdata/api.txt says, and that what README and docs show
// compiles, runs and prints what they say. The tests in cmd/polite run what the pages show
// of the command: they find it by what this package exports.
package repository

// Package repository has the tests of what is promised outside the code: that the
// exported API is what testdata/api.txt says, and that what README and docs show
// compiles, runs and prints what they say.
package repository

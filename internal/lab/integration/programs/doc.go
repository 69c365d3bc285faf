// Package programs runs real programs under "polite run": what arrives at a site is what
// polite lets through, in whatever language the program is written. It has tests alone. A
// program that is not installed is skipped.
package programs

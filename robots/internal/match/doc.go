// Package match keeps the rules of a file in a compact form, and finds the rule that
// decides on a path.
package match

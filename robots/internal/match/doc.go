// Package match holds the rules of a file in a compact form, and finds the one that
// decides on a path.
package match

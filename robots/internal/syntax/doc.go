// Package syntax reads what robots.txt is written in: lines and their keys,
// product tokens, delays, and the normal form of patterns and paths.
package syntax

// Package conduct tests how polite behaves, from outside: by its exported API and by
// what arrives at servers. It has tests alone.
package conduct

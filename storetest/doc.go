// Package storetest tests whether a [polite.Store] and [polite.Turns] do what they must,
// whatever keeps them: memory, a file, or a server.
package storetest

// Package store has the seams by which a polite.Cache keeps what it knows beyond the
// life of a process, or shares it with other processes: [Store] for the answers of
// sites, and [Turns] for the turns of requests.
//
// Package boltstore implements both in a file, and module redisfleet in a Redis or
// Valkey server; package memstore keeps both in memory. Package storetest tests whether an implementation of your own keeps to
// what is said here.
package store

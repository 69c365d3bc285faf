// Package store has the seams by which a polite.Cache keeps what it knows beyond the
// life of a process, or shares it with other processes: [Store] for the answers of
// sites, and [Turns] for the turns of requests.
//
// Package boltstore implements both in a file, and module redisfleet in a Redis or Valkey server; package
// memstore keeps both in memory. Package storetest tests whether an implementation of your own does what
// this package documents.
//
// # How it grows
//
// Store and Turns keep the methods that they have. What else an implementation can do has an interface
// of its own, such as [Teacher] and [Reporter]. polite finds this interface by [As], and does without it
// if there is none. [Ask], [Grant], [Claim] and [Change] may get more fields, so name the fields in a
// literal. The zero value of a new field means the same as no field. So an implementation that does not
// know the field stays correct.
package store

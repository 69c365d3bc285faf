// Package memstore keeps entries and turns in memory, for one process: in tests of what
// uses a [store.Store] or [store.Turns], and under an engine of your own that goes on while
// its server is away. Its clock is time.Now, so in a testing/synctest bubble no test waits.
package memstore

// Package memstore keeps entries and turns in memory, for one process. Use it in tests of code that
// uses a [store.Store] or [store.Turns], or in an engine of your own that goes on while its server is
// away. Its clock is time.Now, so in a testing/synctest bubble no test waits.
package memstore

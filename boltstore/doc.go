// Package boltstore keeps, in a file, what sites answered and when requests may start. So a
// crawler that is started again asks no site for a robots.txt that it still has, and
// keeps each crawl delay and each break. A [Store] is a [polite.Store] and a
// [polite.Turns]:
//
//	store, err := boltstore.Open("crawl.cache", boltstore.Options{})
//	...
//	defer store.Close()
//
// # What is kept
//
// The file has the record of each key until it is past its use, the breaks that sites
// asked for, and, once the Store is closed, the newest start of each lane. Claims and
// reservations are in memory.
//
// # How safe it is
//
// A record is on disk within a second after Put, a break before Hold returns. What is
// written is written whole and synced, so that a crash or a power cut at any moment leaves
// a file that opens. Of a process that ends without [Store.Close], the records of its last
// second are lost, and when its requests started: the next process waits for one gap
// before the first start of each lane.
//
// If the disk is full, what is not written stays in memory, as far as there is room, and
// is written later. If the file is damaged, calls return [ErrDamaged]; the process goes
// on. Whoever can write the file decides what polite may fetch: a new file is readable
// and writable for its owner alone.
//
// Only one Store can have a file open, in one process: see [ErrLocked]. Do not keep the
// file on a network drive.
//
// # How large it gets
//
// A record of 500 bytes takes about 1 KB. If all take more than [Options].MaxBytes, old
// ones are deleted. The file never gets smaller: what is written later takes the space.
// Memory has no part of the records but those that are not written yet, 16 MB at most.
package boltstore

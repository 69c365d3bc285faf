// Package boltstore keeps, in a file, what sites answered and when requests may start. So a
// crawler that is started again asks no site for a robots.txt that it still has, and
// keeps each crawl delay and each break. A [Store] is a [store.Store] and a
// [store.Turns]:
//
//	store, err := boltstore.Open("crawl.cache", boltstore.Options{})
//	...
//	defer store.Close()
//
// # What is kept
//
// The file keeps each entry until it is past its use, and each break that a site asked
// for. When the Store is closed, the file also keeps when requests started. Claims,
// reservations and slots are in memory. A gap of up to a year is kept whole, and a break or
// a lease of up to a day; longer ones are cut.
//
// A [Journal] keeps the items of a queue.Queue in the same file, so that a crawl goes on where it was.
//
// # How safe it is
//
// An entry is on disk within a second after Put. A break is on disk before Break returns. Each write is
// synced, and is there whole or not at all: after a crash or a power cut at any moment, the file opens.
// If a process ends without [Store.Close], the entries of its last second and the times of starts are
// lost: in the next process, the first start of each lane waits for one gap.
//
// If the disk is full, entries and breaks stay in memory, and are written when there is
// space. If the file is damaged, calls return [ErrDamaged], and the process goes
// on. Whoever can write to the file decides what polite may fetch. So only its owner may
// read and write a new file.
//
// Only one Store can have a file open: see [ErrLocked]. Do not keep the file on a network
// drive.
//
// # How large it is
//
// All that sites can make a Store keep is in one bound, MaxBytes of [Options]. An entry of 500 bytes
// takes about 1 KB. If there is too much, old entries are deleted. Breaks and starts take up to a
// quarter of MaxBytes, and up to 16 MB. They are in memory, too. If they take more, the Store forgets
// those of the domains and networks that have the most, the newest first. So a hostile domain with many
// names does not push out others, however long its breaks are. The gaps also hold in lanes whose starts
// were forgotten: the next start of such a lane waits for one gap.
//
// The file never gets smaller: later entries take the free space. Entries that are not written yet take
// up to 16 MB of memory, and less if MaxBytes is small. Those in the file take none. [Store.Stats]
// tells what is kept.
package boltstore

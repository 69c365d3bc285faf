// Package judge lets a fleet crawl a site on sockets, and judges the log of the site: what
// came too soon after something else, what was under way beside too many others, what came
// in a break, and what was asked twice. Eight processes share one redis-server. They are
// killed and stopped, the server is too, and what is between them delays, repeats and loses
// what passes. The log has the kernel's time of each arrival, so the judge itself may be
// slow.
//
//	POLITE_LONG=1 POLITE_SEED=1 go test ./internal/judge -run TestFleet -for 10m -timeout 1h -v
//
// Time is real here, so no change is judged by it. Each fault happens alone at first. Then they
// mix, as the seed says. Without -for it is a short test, without the worst faults. With -fault
// only the one of that name happens, and with -fault none there is none. With -plain the crawlers
// turn Backoff off. A fifth of the time comes on top, for a double of the server
// whose clock is set. POLITE_SERVER=valkey-server runs Valkey in place of Redis. The test
// fails if the fleet does what it should not. With -bounds it also fails if the fleet is
// slower than it should be, which depends on the machine.
//
// What the project's rules excuse is counted and printed. For example, a process may be
// stopped between its last look at the clock and the write. So each request carries when
// polite let it go.
//
// A judge that finds nothing proves little. So a test plants violations in a log, and another
// takes each safeguard out of the crawler and expects that the judge notices:
//
//	POLITE_LONG=1 go test ./internal/judge -run TestMutations -v
package judge

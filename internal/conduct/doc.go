// Package conduct tests how polite behaves, from outside: by its exported API and by what
// arrives at servers. Its folders have the tests, by subject:
//
//	request    what becomes of a request, its errors, who it says that it is, what net/http promises of a
//	           transport, and what a site says that its pages are for
//	robots     robots.txt: asked for once, kept, shared, judged by
//	lanes      whose turn it is, how far apart, how many at a time
//	wire       what holds at the moment when a request is written
//	limit      what a site bears, and its breaks
//	group      sites that share turns
//	fleet      processes that share a store
//	soak       everything at once, for a while; docs/behaviour.md
//
// The package itself has what their tests share: clients, sites, a store and a fleet.
package conduct

// Politefleet looks at a fleet: the processes of a crawler that take turns through a Redis
// or Valkey server, by package redisfleet.
//
//	politefleet URL --prefix p [--lane text] [-n number] [--json]
//
// The exit status is 1 if a server could not be reached, takes no turns or lacks a right, or anything else
// failed, and 2 if the command makes no sense.
//
// It counts what the server keeps of the fleet with the prefix p. Then it lists the lanes,
// those that wait longest first, who fetches a robots.txt, and the processes. It writes nothing. It goes
// through all keys of the server in small steps, between which the server serves others. In
// a cluster it reads all primaries; if one cannot be reached, it says so and goes on. What it
// needs of memory does not depend on how much the server keeps. The documentation of package
// redisfleet tells the rights of a user for it.
//
//	lanes    3: 2 waiting, 1 in a break; 1 starts reserved, 1 slots taken, 4 in the queue
//	entries  2, and 1 being fetched
//	bytes    353 in lanes, 1032 in entries, without what the server adds
//	process  1: configured in 1 way, 0 deaf
//
//	    wait   break  reserved  slots  queue  lane
//	  58m12s  58m12s         0      0      0  https://example.org:443
//	    0.7s       -         1      0      0  https://example.com:443
//	       -       -         0      1      4  https://example.net:443
//	                                          slot of token ZXJ3AOQHSDPRQCBAY7SBKFGXFH for 8.3s
//
//	   still  fetches robots.txt
//	   27.4s  ExampleBot https://example.edu:443  (token 7PMU6XFHWWIHZNCFT5KMEO4Q2Z)
//
//	 process
//	  crawler-3:4711
//	      Agents=examplebot Concurrency=0 Group=none Key=false MaxDelay=30s MinDelay=1s Sites=false
//	      hears slack=5ms lead=82ms lost_starts=3 lost_slots=0 dropped=0 retold=0 overdue=0
//
// A process tells every four seconds how it is, while requests come: its name, how it is
// configured, and its health. After ten seconds without a word it is silent: stopped, cut off, or gone without
// a word; after a minute it is not listed. Those that are silent, do not hear of breaks (deaf), or whose turns
// fail are first. If they are configured in more than one way, sites may get requests too soon.
//
// If a server takes no turns, the first line says why: it is out of memory, a replica, without
// replicas, or cannot write to its disk. Processes can then not tell how they are.
//
// A lane waits until its next start that nobody has reserved. In its queue stand requests that wait
// for a slot. A token names a request: no other name of it is kept, and none of its process. While a
// robots.txt is fetched again, the server does not keep for which site: the line has the key of the
// entry instead.
//
// With --json, there is an object a line for each lane: key (in the server), lane, wait,
// break, reserved (how many starts), slots_taken, queue (how many requests wait for a
// slot), slots (up to 64, each with token and left), bytes and damaged. An object for each claim follows: key, fetches (what), left, token, and
// again (whether there is an entry already). One for each process has key, process (its name),
// profile, health and silent; one for each server that takes no turns has server and trouble. The last object has the counts of all. Times are
// in seconds.
//
// A value that makes no sense is damaged. Polite makes nothing of it either: the next turn
// begins the lane again.
//
// Names of lanes come from sites and from whoever can write to the server. What acts on a
// terminal is escaped. No line begins with them.
package main

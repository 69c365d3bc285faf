// Package redisfleet lets many processes be one crawler. They take turns together, and
// share what they learn of a site. A [Fleet] is a [store.Store] and
// [store.Turns] in a server that they share: Redis 7 or later, or Valkey 8 or later,
// alone, with Sentinel or as a cluster.
//
// # Opening
//
// [Open] takes a URL, and [New] a client of package rueidis that is connected. Both check
// the server: its version, that it does not delete keys when its memory is full
// (maxmemory-policy must be noeviction), and that the user has all rights. Processes with
// the same Options.Prefix are one fleet. Their own clocks do not matter: only the server's
// counts, and it must be slewed, not stepped.
//
// # What is kept
//
// All names begin with the prefix, here p. Names of lanes and sites are hashed.
//
//	p:t:hash                 a lane: its name, break, starts, slots, and who waits for one; some 200 bytes
//	p:e:hash               an entry, or who may fetch it; its size and some 200 bytes
//	p:{breaks}               the breaks that are under way, by their end
//	p:{breaks}:generation    an id, by which the loss of all data is noticed, the layout, and the number of news
//	p:{breaks}:lessons       what processes have told of what sites bear, in the last ten minutes; some 150 bytes each
//	p:{breaks}:profiles      how the processes are configured, if they have told of late
//	p:{breaks}:process:…     what a process has told of itself in the last minute
//	p:{breaks}:news          the channel on which breaks, lessons and changed entries are told
//	p:{breaks}:beat:…        the channels by which each process checks that it hears, and is told that a slot is its own
//
// A lane is kept for ten or eleven minutes after its last turn, and an entry as long as
// polite says. A gap of up to 30 days is kept whole, and a break or a lease of up to a day;
// longer ones are cut. A turn is one round trip. An entry that is replaced by another takes two:
// the second tells the others. Whoever can write these keys decides what polite may fetch.
//
// # Rights
//
// The user needs no more than this. The second line keeps the server's ACL LOG quiet, and is
// needed in a cluster.
//
//	ACL SETUSER crawler on >secret resetchannels ~p:* &p:* -@all +evalsha +eval +time +info +ping +getrange +strlen +set +setrange +hget +hset +del +pttl +pexpire +zadd +zscore +zrange +zremrangebyscore +publish +subscribe +unsubscribe
//	ACL SETUSER crawler +cluster|slots +cluster|shards +spublish +ssubscribe +punsubscribe +sunsubscribe +discard
//
// A [Viewer] only reads, as does the command politefleet with it. Let it have a user of its
// own, who needs no more than this, and in a cluster +cluster|shards.
//
//	ACL SETUSER operator on >secret resetchannels %R~p:* -@all +scan +getrange +strlen +time +info +ping +cluster|slots +cluster|shards
//
// # When things fail
//
// If the server is away, slow, read-only or full, turns fail with an error that says so and
// what to do. Each process then asks for robots.txt by itself. With Options.Alone, turns go
// on at a share of the rate, but for lanes that have fewer slots than there are processes.
//
// If the server comes to delete keys when its memory is full, or if another layout appears,
// processes notice it within ten seconds. Turns then fail with an error that says so, and go
// on when it is set right.
//
// If a connection was lost, the server may be another one, or may have lost its data. So
// Watch returns, reservations of this process are void, and in each lane it starts again
// no sooner than a gap later. If the lane has slots, it waits as long as a
// lease, unless it finds the same server, which has run on and was not flushed: by its run_id and
// master_replid, so not in a cluster. If the server fails over or restarts, writes that it has not copied or saved
// are lost: a process that does not know it yet may start once too early.
//
// If the database is flushed, processes notice it within a second, and wait as after a
// lost connection. A process that joins in this second does not know of it. In a cluster,
// only the loss of the node that keeps the breaks is noticed so.
//
// If the network is cut, those who cannot reach the server take no turns. With Sentinel, a
// primary that is cut off goes on with the processes on its side, unless its
// min-replicas-to-write says otherwise. Do not put a proxy between that keeps connections
// when the server behind it changes.
//
// If the server's clock steps back, lanes stall for as long, but for no more than an hour.
// If it steps forward, gaps, breaks and leases end early once.
package redisfleet

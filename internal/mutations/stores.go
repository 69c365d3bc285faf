package main

const (
	memstore   = "store/memstore"
	boltstore  = "store/boltstore"
	redisfleet = "store/redisfleet"
)

// ofStores are the mutations of what stores share, of the file, and of the fleet.
var ofStores = []mutation{
	{
		without: "the first claim alone may fetch",
		file:    "store/internal/memory/claims.go",
		old:     "if claimed := c[key]; !claimed.over() {", new: "if claimed := c[key]; false {",
		test: "TestEntries", in: memstore,
	},
	{
		without: "what is written under an older claim is dropped",
		file:    "store/internal/memory/claims.go",
		old:     "token != \"\" && token == claimed.token && !claimed.over()", new: "token != \"\" && claimed.token != \"\"",
		test: "TestEntries", in: memstore,
	},
	{
		without: "a start keeps the larger gap of two",
		file:    "store/internal/memory/lane.go",
		old:     "return s.over().Add(max(s.Gap, gap))", new: "return s.over().Add(gap)",
		test: "TestTurns", in: memstore,
	},
	{
		without: "the next start is later by the slack of the last",
		file:    "store/internal/memory/lane.go",
		old:     "return s.At.Add(s.Slack)", new: "return s.At",
		test: "TestTurns", in: memstore,
	},
	{
		without: "a token that asks again keeps its start",
		file:    "store/internal/memory/lane.go",
		old:     "own > 0 && s.Gap == ask.Gap && s.Slack == ask.Slack && !s.At.Before(from)", new: "false && own > 0",
		test: "TestTurns", in: memstore,
	},
	{
		without: "a start is given back",
		file:    "store/internal/memory/lane.go",
		old:     "unused && i > 0", new: "unused && i > 0 && false",
		test: "TestTurns", in: memstore,
	},
	{
		without: "slots have a limit",
		file:    "store/internal/memory/lane.go",
		old:     "case near && l.others(ask.Token, now) >= ask.Slots:", new: "case false:",
		test: "TestTurns", in: memstore,
	},
	{
		without: "a slot ends with its lease",
		file:    "store/internal/memory/lane.go",
		old:     "return !end.After(now) })", new: "return false })",
		test: "TestTurns", in: memstore,
	},
	{
		without: "no turn begins in a break",
		file:    "store/internal/memory/take.go",
		old:     "now.Add(max(ask.NotBefore, left))", new: "now.Add(ask.NotBefore)",
		test: "TestTurns", in: memstore,
	},
	{
		without: "a Watch hears of the breaks that are under way",
		file:    "store/internal/memory/watch.go",
		old:     "for name := range t.breaks {\n\t\tw.lanes[name] = struct{}{}\n\t}", new: "",
		test: "TestTurns", in: memstore,
	},
	{
		without: "starts that are over are forgotten",
		file:    "store/internal/memory/lane.go",
		old:     " || len(l.starts) > 2 && l.starts[2].over().Before(now)", new: "",
		test: "TestStartsThatAreOver", in: "store/internal/memory",
	},
	{
		without: "a lane is remembered for longer than its gap",
		file:    "store/internal/memory/lane.go",
		old:     "return now.Before(s.next(remember))", new: "return now.Before(s.next(0))",
		test: "TestLongerGapCountsFromTheLastStart", in: "store/internal/memory",
	},
	{
		without: "lanes and breaks have a bound",
		file:    "store/internal/memory/turns.go",
		old:     "if t.most <= 0 || t.bytes <= t.full {", new: "if true {",
		test: "TestBreaksWithinBound", in: boltstore,
	},
	{
		without: "the gap of a lane that was forgotten is kept",
		file:    "store/internal/memory/turns.go",
		old:     "t.floor = over\n", new: "_ = over\n",
		test: "TestStartsWithinBound", in: boltstore,
	},
	{
		without: "starts outlive the process",
		file:    "store/boltstore/turns.go",
		old:     "ask.Gap == 0 && ask.Slots <= 0 || !s.clean.Load() ||", new: "true ||",
		test: "TestStartsOutliveTheProcess", in: boltstore,
	},
	{
		without: "a break is on disk when it is told",
		file:    "store/boltstore/turns.go",
		old:     "return s.writer.addBreak(ctx, lane, func() bool { return s.turns.Break(lane, b) })", new: "s.turns.Break(lane, b)\n\treturn nil",
		test: "TestBreak", in: boltstore,
	},
	{
		without: "a start keeps the larger gap of two",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "local least = apart > gap and apart or gap", new: "local least = gap",
		test: "TestDouble/Turns/the_longer_gap_of_two_askers_counts,_whoever_comes_first", in: redisfleet,
	},
	{
		without: "a start comes between those of others",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "<= later or i == 0 then", new: "<= 0 or i == 0 then",
		test: "TestDouble/Turns/a_shorter_gap_moves_those_up_who_take_again,_the_first_of_them_first", in: redisfleet,
	},
	{
		without: "the next start is later by the slack of the last",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "pack('>I7', at + slack), ask", new: "pack('>I7', at), ask",
		test: "TestDouble/Turns/a_start_is_so_much_later_as_the_one_before_may_be", in: redisfleet,
	},
	{
		without: "a token that asks again keeps its start",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "at, kept = was, true", new: "at = at",
		test: "TestDouble/Turns/a_repeated_Take_returns_the_same_start", in: redisfleet,
	},
	{
		without: "no turn begins in a break",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "if break_ends > at then at = break_ends end", new: "",
		test: "TestDouble/Turns/no_start_is_in_a_break", in: redisfleet,
	},
	{
		without: "slots have a limit",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "answer = live < slots and 'slot' or 'busy'", new: "answer = 'slot'",
		test: "TestDouble/Turns/each_asker's_own_Slots_counts", in: redisfleet,
	},
	{
		without: "a slot ends with its lease",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "if till > now and till <= now + day + hour then\n\t\t\tif", new: "if till <= now + day + hour then\n\t\t\tif",
		test: "TestDouble/Turns/the_end_of_its_lease_frees_a_slot", in: redisfleet,
	},
	{
		without: "an ask that comes late reserves nothing",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "if now > void then", new: "if false then",
		test: "TestAbandonedTakeIsVoid", in: redisfleet,
	},
	{
		without: "a lane lives for ten minutes at least",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "(ends - now) / 1000 + 661000", new: "(ends - now) / 1000 + 1",
		test: "TestLaneOutlivesItsTurns", in: redisfleet,
	},
	{
		without: "a lane that is damaged begins again",
		file:    "store/redisfleet/scripts/take.lua",
		old:     "if written > now + hour then damaged = true end", new: "",
		test: "TestServerClockIsSet", in: redisfleet,
	},
	{
		without: "Done frees the slot of its token alone",
		file:    "store/redisfleet/scripts/done.lua",
		old:     "if string.sub(lane.slots, i, i + 7) == token then", new: "if not changed then",
		test: "TestDouble/Turns/a_repeated_Done_frees_no_slot_of_another", in: redisfleet,
	},
	{
		without: "a start is given back",
		file:    "store/redisfleet/scripts/done.lua",
		old:     "lane.starts, changed = string.sub(lane.starts, 1, i - 22) .. string.sub(lane.starts, i + 8), true", new: "changed = true",
		test: "TestLaneWaitIsTrue", in: redisfleet,
	},
	{
		without: "the last start that is over stays",
		file:    "store/redisfleet/scripts/done.lua",
		old:     "(i + 7 < #lane.starts or unpack('>I7', lane.starts, i - 21) >= now)", new: "true",
		test: "TestGivenBackWhenOver", in: redisfleet,
		survives: "a start that is over is mostly not the last of which the lane knows",
	},
	{
		without: "the first claim alone may fetch",
		file:    "store/redisfleet/scripts/claim.lua",
		old:     "if r.ends > now and r.token ~= token then", new: "if false then",
		test: "TestDouble/Store/while_one_may_fetch,_another_waits", in: redisfleet,
	},
	{
		without: "what is written under an older claim is dropped",
		file:    "store/redisfleet/scripts/put.lua",
		old:     "if #token ~= 26 or r.token ~= token or r.ends <= now then", new: "if false then",
		test: "TestDouble/Store/who_has_lost_the_claim_to_another_cannot_put", in: redisfleet,
	},
	{
		without: "a Put whose reply is lost counts",
		file:    "store/redisfleet/scripts/put.lua",
		old:     "local done = ARGV[5] == '1' and", new: "local done = false and",
		test: "TestPutIsToldIfItsReplyIsLost", in: redisfleet,
	},
	{
		without: "a break is no shorter than the one before",
		file:    "store/redisfleet/scripts/break.lua",
		old:     "if now + wait > lane.break_ends then", new: "if true then",
		test: "TestDouble/Turns/of_many_breaks_that_begin_at_once,_the_longest_counts", in: redisfleet,
	},
	{
		without: "a break is told to all",
		file:    "store/redisfleet/scripts/tell.lua",
		old:     "redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. text(ends - now) .. ' ' .. name)", new: "",
		test: "TestDouble/Turns/Watch_tells_of_the_breaks_that_begin", in: redisfleet,
	},
	{
		without: "slots are renewed",
		file:    "store/redisfleet/scripts/renew.lua",
		old:     "till, mine[token] = now + lease, false", new: "mine[token] = false",
		test: "TestSlotIsHeldForLong", in: redisfleet,
	},
	{
		without: "the server tells of data that was lost",
		file:    "store/redisfleet/scripts/beat.lua",
		old:     "if known ~= '' and lost < now - 10 * second then lost = now end", new: "",
		test: "TestDatabaseIsFlushed", in: redisfleet,
	},
	{
		without: "who joins hears of the breaks that are under way",
		file:    "store/redisfleet/watch.go",
		old:     "return w.pages(ctx, w.keys.index(), w.told)", new: "return w.pages(ctx, w.keys.index(), func(string, time.Duration) {})",
		test: "TestManyBreaks", in: redisfleet,
	},
	{
		without: "a process that hears no beat is deaf",
		file:    "store/redisfleet/watch.go",
		old:     "if w.ear.isDeaf() {", new: "if false {",
		test: "TestSubscriptionIsHalfOpen", in: redisfleet,
	},
	{
		without: "a message that was lost is noticed",
		file:    "store/redisfleet/ear.go",
		old:     "e.heard.missed = e.heard.missed || count != e.count", new: "_ = count",
		test: "TestMessageIsLost", in: redisfleet,
	},
	{
		without: "a start pauses when the engine may be another",
		file:    "store/redisfleet/clock.go",
		old:     "max(gap-time.Since(c.at), 0)", new: "0",
		test: "TestServerRestarts", in: redisfleet,
	},
	{
		without: "a pause is as long as the longest gap that is known",
		file:    "store/redisfleet/turns.go",
		old:     "gap := max(ask.Gap, ask.Longest)", new: "gap := ask.Gap",
		test: "TestDatabaseIsFlushed", in: redisfleet,
		survives: "the gap that is asked for is mostly the longest",
	},
	{
		without: "a call during which the connection changes is repeated",
		file:    "store/redisfleet/turns.go",
		old:     "now == count {", new: "true || now == count {",
		test: "TestReplyIsLost", in: redisfleet,
	},
	{
		without: "a process that is alone sends its share",
		file:    "store/redisfleet/alone.go",
		old:     " * time.Duration(min(a.share, 1000))", new: "",
		test: "TestGoingOnAlone", in: redisfleet,
	},
	{
		without: "a process that is alone keeps to its share of the limit",
		file:    "store/redisfleet/alone.go",
		old:     "ask.Slots /= a.share", new: "_ = a.share",
		test: "TestAloneKeepsTheLimitOfTheFleet", in: redisfleet,
	},
}

package main

import (
	"maps"
	"slices"
	"strings"
)

// rows are the mutations of files. What command mutants makes by chance is not among them: a condition, a part of
// one, a bound, a statement, a loop, a function, a number, an argument of min or max, a result. What is left is a
// value in the place of another, or a script of Redis.
type rows map[string][]row

// A row says how to take a mechanism out.
type row struct {
	without  string // the mechanism
	test     string // that notices; after its folder, where others have its name
	old, new string // old is in the file once
}

// mutations returns all mutations of the repository in a folder.
func mutations(root string) (found []mutation, err error) {
	folders, err := tests(root)
	for _, file := range slices.Sorted(maps.Keys(table)) {
		for _, r := range table[file] {
			m := mutation{row: r, file: file}
			if folder, name, ok := strings.Cut(r.test, " "); ok {
				m.test, m.folders = name, []string{folder}
			} else {
				m.folders = folders[m.name()]
			}
			found = append(found, m)
		}
	}
	return found, err
}

var table = rows{
	"internal/ask/flights.go": {
		{"a queue that waits for robots.txt takes no turn of its lane", "TestFirstGapOfHops",
			"turn = a.Taker.Later(to, turn)", "turn = a.Taker.ComeBack(to, turn)"},
	},
	"internal/fetch/fetch.go": {
		{"a Base can tell which requests are for robots.txt", "TestCredentials",
			"context.WithValue(ctx, fetching{}, true)", "ctx"},
	},
	"internal/fleet/start.go": {
		{"a start that is kept is asked for again by the same slack", "TestFleetIsAsGoodAsOneClient",
			"Slack: r.slackThen, Longest", "Slack: r.slack.now(r.request.Gap), Longest"},
		{"a token listens before it asks, or it misses its call", "TestSlotIsHandedOn",
			"if ask.Queue {\n\t\tr.turnComes = r.queues.join(r.token)\n\t}\n\tgrant, err := r.call(ctx, ask)\n", "grant, err := r.call(ctx, ask)\n\tif ask.Queue {\n\t\tr.turnComes = r.queues.join(r.token)\n\t}\n"},
		{"the request that goes first waits in the queue, too", "TestFleetOfOneSlotGoesOnAfterABreak",
			"ask.Queue = r.queues != nil && ask.Slots > 0", "ask.Queue = r.queues != nil && ask.Slots > 0 && !r.request.First"},
		{"turns fail closed", "internal/conduct/lanes TestTurnsFail",
			`return grant, &lane.LateError{Turn: time.Now().Add(tryTurnsAgain), Cause: lane.Failed, Why: "its turn could not be reserved", Err: err}`, "return store.Grant{Slot: true}, nil"},
	},
	"internal/fleet/way.go": {
		{"a break is asked for once more when a start comes", "TestBreakAfterReservation",
			"if err := w.lanes.Refresh(ctx, w.key, w.called); err != nil {", "if err := error(nil); err != nil {"},
		{"the start below a group moves to the one above", "TestGroupOfAFleet",
			"return w.below.fit(ctx, w.own, w.above.start)", "return true, nil"},
	},
	"internal/lane/lane.go": {
		{"those who wait keep the gap", "internal/conduct/lanes TestCrawlDelay",
			"clock.Later(clock.Later(now, l.begun.next(ownGap)), clock.Later(", "clock.Later(now, clock.Later("},
	},
	"internal/lane/lanes.go": {
		{"requests wait in the order in which they came", "internal/conduct/lanes TestCrawlDelay",
			"l.line.insert(t, l.line.last)", "l.line.insert(t, nil)"},
	},
	"internal/lane/ticket.go": {
		{"a request that has waited for a minute is told", "internal/conduct/lanes TestWaits",
			"soonest(at, t.waitsUntil, t.giveUp, look, tell, quiet)", "soonest(at, t.waitsUntil, t.giveUp, look, quiet)"},
		{"a request that waits for answers that do not come is told", "TestSilenceIsToldSoon",
			"soonest(at, t.waitsUntil, t.giveUp, look, tell, quiet)", "soonest(at, t.waitsUntil, t.giveUp, look, tell)"},
	},
	"internal/lane/wire.go": {
		{"the gap counts at the wire", "TestMixedGapsAtTheWire",
			"at := clock.Later(l.wire.last.next(t.ownGap), clock.Later(", "at := clock.Later(now, clock.Later("},
	},
	"internal/send/send.go": {
		{"a body that was read is made anew", "TestBreakAtTheWire",
			"body, err := req.GetBody()", "body, err := req.Body, error(nil)"},
	},
	"internal/turns/learn.go": {
		{"the end of the context frees the slot", "TestSlotsComeBack",
			"stop := context.AfterFunc(ctx, ticket.Done)", "stop := context.AfterFunc(ctx, func() {})"},
	},
	"queue/push.go": {
		{"an origin has one lane, however it is spelled", "TestBudgetOfASpelling",
			"	return o.String()\n", "	return u.Scheme + \"://\" + u.Host + o.Host[:0]\n"},
	},
	"queue/request.go": {
		{"credentials do not go to another site", "TestRequest",
			"range w.like.without", "range w.like.without[:0]"},
		{"redirects in a circle come to an end, also if they are put off", "TestCircleOfHops",
			"append(before, via...)", "append(before[:0], via...)"},
	},
	"request.go": {
		{"what waits for a trial goes on at its answer", "TestNextOfATrial",
			"awaits := state.AwaitsRequest()", "awaits := state.AwaitsAnswer()"},
	},
	"store/boltstore/turns.go": {
		{"a break is on disk when it is told", "store/boltstore TestBreaksAreForgotten",
			"return s.writer.addBreak(ctx, lane, func() bool { return s.turns.Break(lane, b) })", "s.turns.Break(lane, b)\n\treturn nil"},
	},
	"store/redisfleet/alone.go": {
		{"a process that is alone sends its share", "TestGoingOnAlone",
			" * time.Duration(min(a.share, 1000))", ""},
	},
	"store/redisfleet/clock.go": {
		{"a start pauses when the engine may be another", "TestServerRestarts",
			"left(c.at, gap)", "left(c.at, 0*gap)"},
	},
	"store/redisfleet/scripts/beat.lua": {
		{"the server tells of data that was lost", "TestDatabaseIsFlushed",
			"if known ~= '' and lost < now - 10 * second then lost = now end", ""},
	},
	"store/redisfleet/scripts/break.lua": {
		{"a break is no shorter than the one before", "TestDouble/Turns/of_many_breaks_that_begin_at_once,_the_longest_counts",
			"if now + wait > lane.break_ends then", "if true then"},
	},
	"store/redisfleet/scripts/claim.lua": {
		{"the first claim alone may fetch", "TestDouble/Store/while_one_may_fetch,_another_waits",
			"if r.ends > now and r.token ~= token then", "if false then"},
	},
	"store/redisfleet/scripts/done.lua": {
		{"Done frees the slot of its token alone", "TestDouble/Turns/a_repeated_Done_frees_no_slot_of_another",
			"cut(slots, token, 15), cut", "sub(slots, 16), cut"},
		{"a slot that is freed is kept for the first in the queue, who hears of it", "TestDouble/Turns/the_Watch_of_who_waits_tells_whose_slot_is_kept",
			"if lane.queue ~= '' then", "if false then"},
		{"a start is given back", "TestLaneWaitIsTrue",
			"lane.starts = sub(lane.starts, 1, i - 22) .. sub(lane.starts, i + 8)", ""},
	},
	"store/redisfleet/scripts/put.lua": {
		{"what is written under an older claim is dropped", "TestDouble/Store/who_has_lost_the_claim_to_another_cannot_put",
			"if #token ~= 26 or r.token ~= token or r.ends <= now then", "if false then"},
		{"a Put whose reply is lost counts", "TestPutIsToldIfItsReplyIsLost",
			"local done = ARGV[5] == '1' and", "local done = false and"},
	},
	"store/redisfleet/scripts/queue.lua": {
		{"a slot ends with its lease", "TestDouble/Turns/the_end_of_its_lease_frees_a_slot",
			"if till > now and till <= now + 90000000000 then\n\t\t\tall", "if till <= now + 90000000000 then\n\t\t\tall"},
		{"the queue passes over who is gone", "TestQueuePassesOverWhoIsGone/alone",
			"if hears > 0 then", "if true then"},
		{"who waits is told when the first lease ends", "TestDouble/Turns/who_waits_is_told_when_the_first_lease_ends",
			"math.min(ends or math.huge,", "math.max(ends or 0,"},
	},
	"store/redisfleet/scripts/renew.lua": {
		{"slots are renewed", "TestSlotIsHeldForLong",
			"till, mine[token] = now + lease, false", "mine[token] = false"},
	},
	"store/redisfleet/scripts/take.lua": {
		{"a start keeps the larger gap of two", "TestDouble/Turns/the_longer_gap_of_two_askers_counts,_whoever_comes_first",
			"local least = apart > gap and apart or gap", "local least = gap"},
		{"a start comes between those of others", "TestDouble/Turns/a_shorter_gap_moves_those_up_who_take_again,_the_first_of_them_first",
			"<= later or i == 0 then", "<= 0 or i == 0 then"},
		{"the next start is later by the slack of the last", "TestDouble/Turns/a_start_is_so_much_later_as_the_one_before_may_be",
			"pack('>I7', at + slack), ask", "pack('>I7', at), ask"},
		{"a token that asks again keeps its start", "TestDouble/Turns/a_repeated_Take_returns_the_same_start",
			"at, kept = was, true", "at = at"},
		{"no turn begins in a break", "TestDouble/Turns/no_start_is_in_a_break",
			"if break_ends > at then at = break_ends end", ""},
		{"slots have a limit", "TestDouble/Turns/each_asker's_own_Slots_counts",
			"answer = live < slots and 'slot' or 'busy'", "answer = 'slot'"},
		{"an ask that comes late reserves nothing", "TestAbandonedTakeIsVoid",
			"if now > void then", "if false then"},
		{"a lane lives for ten minutes at least", "TestLaneOutlivesItsTurns",
			"(ends - now) / 1000 + 661000", "(ends - now) / 1000 + 1"},
		{"a lane that is damaged begins again", "TestServerClockIsSet",
			"if written > now + hour then damaged = true end", ""},
	},
	"store/redisfleet/scripts/tell.lua": {
		{"a break is told to all", "TestDouble/Turns/Watch_tells_of_the_breaks_that_begin",
			"redis.call(ARGV[1], ARGV[2], text(n) .. ' ' .. text(ends - now) .. ' ' .. name)", ""},
	},
	"store/redisfleet/watch.go": {
		{"who joins hears of the breaks that are under way", "TestManyBreaks",
			"return w.pages(ctx, w.keys.index(), w.told)", "return w.pages(ctx, w.keys.index(), func(string, time.Duration) {})"},
	},
}

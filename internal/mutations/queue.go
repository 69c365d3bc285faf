package main

const queue = "queue"

// ofQueue is what keeps the promises of the queue.
var ofQueue = []mutation{
	{
		without: "the next of a lane is tried when the one before has its connection",
		file:    "queue/lanes.go",
		old:     "	l.tried = true\n", new: "",
		test: "TestOneWorkerWaitsForRules", in: queue,
	},
	{
		without: "what comes back goes by its number",
		file:    "queue/lanes.go",
		old:     "return a.number < b.number", new: "return false",
		test: "TestManySites", in: queue,
	},
	{
		without: "a lane takes all turns that its requests were told",
		file:    "queue/lanes.go",
		old:     "	case len(l.turns) > 0:\n", new: "	case false:\n",
		test: "TestRedirects", in: queue,
	},
	{
		without: "a lane is tried when a request of it is answered",
		file:    "queue/lanes.go",
		old:     "if l.place > 0 && l.guess {", new: "if false {",
		test: "TestManyHops", in: queue,
	},
	{
		without: "lanes whose time has come take turns with the others",
		file:    "queue/lanes.go",
		old:     "	q.other = !q.other\n", new: "	q.other = true\n",
		test: "TestManySites", in: queue,
	},
	{
		without: "a robots.txt is waited for",
		file:    "queue/visit.go",
		old:     "d.Reason == polite.ReasonUnknown && d.From == \"\"", new: "d.Reason == \"none\"",
		test: "TestOneWorkerWaitsForRules", in: queue,
	},
	{
		without: "a lane that is refused for long is given up",
		file:    "queue/visit.go",
		old:     "if !waits && v.lane.first", new: "if !waits && false && v.lane.first",
		test: "TestBreak", in: queue,
	},
	{
		without: "redirects in a circle come to an end",
		file:    "queue/visit.go",
		old:     "count > maxHops ||", new: "false ||",
		test: "TestRequeueCircle", in: conduct,
	},
	{
		without: "what is not handled is left",
		file:    "queue/visit.go",
		old:     "	} else if !v.moved {\n", new: "	} else if false {\n",
		test: "TestHandlerFails", in: queue,
	},
	{
		without: "a lane waits for its turn, which is late in a fleet",
		file:    "queue/lanes.go",
		old:     "		l.patience = longestWait\n", new: "",
		test: "TestRequeue", in: conduct,
	},
	{
		without: "a lane that has missed a start comes earlier for the next",
		file:    "queue/lanes.go",
		old:     "min(time.Duration(l.tries)*ahead, longestWait/2)", new: "0",
		test: "TestRequeue", in: conduct,
	},
	{
		without: "a lane waits for an answer, however long it takes",
		file:    "queue/visit.go",
		old:     "guess && v.lane.under > 1", new: "false",
		test: "TestLongAnswer", in: queue,
	},
	{
		without: "a lane without items is forgotten",
		file:    "queue/lanes.go",
		old:     "		delete(q.lanes, l.key)\n", new: "",
		test: "TestEmptyLanesAreForgotten", in: queue,
	},
	{
		without: "no password is made up",
		file:    "queue/visit.go",
		old:     "; hidden {", new: "; false && hidden {",
		test: "TestPassword", in: queue,
	},
	{
		without: "the workers end together",
		file:    "queue/visit.go",
		old:     "			q.over = true\n", new: "",
		test: "TestPushWhileWorkersEnd", in: queue,
	},
	{
		without: "a lane goes by the first start that it was told",
		file:    "queue/visit.go",
		old:     "v.lane.first(turn)", new: "turn",
		test: "TestStartIsTaken", in: queue,
	},
	{
		without: "an earlier start ends the wait for a later one",
		file:    "queue/lanes.go",
		old:     "l.place > 0 && turn.Before(l.until)", new: "false",
		test: "TestStartsComeInAnyOrder", in: queue,
	},
}

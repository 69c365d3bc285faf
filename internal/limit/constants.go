package limit

import "time"

// The numbers by which a limit is tuned, all in one place. A duration has its unit. Milliseconds are said to be so; rates
// are requests a second, and times of a rate are seconds; rows, levels and windows are counts. No standard has any of
// them: they were chosen with the sites of internal/lab/manners, whose tables show what a change does.

// The window: how many requests may be under way (window.go).
const (
	// firstWindow is how many requests may be under way at first. With eight, a site with
	// four slow workers is overloaded for its first quarter of a minute.
	firstWindow = 2

	// widestWindow is more than anybody has under way.
	widestWindow = 30_000

	// A row of slow answers is a queue if it has as many answers as may be under way, but between fewest
	// and most. So each of these requests is heard once. A row must be longer where many pages are slow:
	// chanceRow is how rare a row must be to be no chance.
	fewestSlow, mostSlow = 16, 200
	chanceRow            = 1e-6
	longestRow           = 250

	// slack is by how many milliseconds an answer without a queue may be slower than twice the
	// base.
	slack = 50

	// quickStep is by how much the window grows with a quick answer where others are slow anyway.
	quickStep = 3

	// mostLate is how many late answers let the window grow until a quick one comes, where slow
	// ones are usual.
	mostLate = 8

	// latePerStep is how many late answers let the window grow by one where late answers are not usual. A
	// queue of ours shows a round after it began, so a late answer may be the first of many.
	latePerStep = 4

	// relief is the part to which the time of answers must fall, if a queue of ours was the reason.
	relief = 0.7

	// An answer of slowest milliseconds or more is slow, whatever the reason.
	slowest = 1000

	// An answer that is far too quick for the base adds anew, and each other answer takes one off. At
	// enoughAnew, more than one answer in nine is as quick, and the quick ones become the base.
	anew, enoughAnew = 8, 248
)

// Breaks, incidents and bans (pause.go).
const (
	// firstBreak is how long the break after a bad answer is.
	firstBreak = time.Second

	// The break of an incident is short again if the incident comes so long after the last break, or
	// after so many good answers.
	calm       = 15 * time.Second
	enoughGood = 6

	// soonLevel is the level of the break if one incident follows another soon: 4 s.
	soonLevel = 2

	// longSilence is the longest break at a silent site, unless it has been silent for twice as long
	// as the break. Then each request takes long, too, and the site has not said no.
	longSilence = 16 * time.Second

	// longestBreak is the longest break, also one that the site asks for.
	longestBreak = 24 * time.Hour

	// mostDoublings is how often a break doubles, beyond the longest one.
	mostDoublings = 10

	// A ban has lasted for at least bannedFor, and for bannedProbes probes.
	bannedFor    = 30 * time.Second
	bannedProbes = 3

	// soonDown is how soon after a long row of 503 another is a ban.
	soonDown = 15 * time.Minute

	// longestSetback is the longest break after a bad answer for a caller that looks for no limit.
	longestSetback = 30 * time.Second

	// slowFor is how long after a break requests begin slowly if no answer says how the site is.
	slowFor = time.Minute

	// Tolerance is how much longer a break may be in one process than in another, which measures it by
	// another clock.
	Tolerance = time.Second

	// mostParts is how many other processes count that tell what they sent before an incident.
	mostParts = 100

	// From firstTold to lastTold are the levels of a break at which all tell what they sent before it: it
	// may be a ban. They tell it at each level, since what is told may be lost.
	firstTold, lastTold = 3, 5
)

// The rate, and the search for it (rate.go).
const (
	// widestGap is the longest gap that is learned.
	widestGap = time.Minute

	// doubling is in how many seconds the first rate doubles. One bad answer may be
	// chance. A fleet, whose processes hear late of a refusal, goes slower.
	doubling, doublingShared = 2, 3

	// firstRate is the lowest rate after the first bad answer: a crawler that asked for less has not
	// tried what the site bears.
	firstRate = 1

	// dip is the part by which the rate is lower after an incident. The rate comes back on a cubic curve.
	dip = 0.15

	// slower is how much longer the search takes after an incident than after the one before, at
	// most. A limit may be low for a short time only. A fleet, for which no refusal is stray, has more
	// incidents.
	slower, slowerShared = 1.25, 1.1

	// fallFor is for how long a rate that was borne is remembered after the rate fell. Trouble of ten minutes
	// is over by then. Until then, the rate is kept to for fallenSearch seconds after an incident, at most.
	fallFor      = 11 * time.Minute
	fallenSearch = 60

	// shortestSearch and longestSearch are for how many seconds a rate is kept to after an incident otherwise.
	shortestSearch, longestSearch = 40, 600

	// leastTold is the least part of the first rate that a fleet believes: what one process counts
	// and takes for its share is not exact.
	leastTold = 0.75

	// fleetPart is in how many parts a request of others is counted, and LargestFleet how many of
	// them are believed for one of this process.
	fleetPart, LargestFleet = 16, 1000

	// shortestPlain is what is believed of others.
	shortestPlain = 10

	// longestPlain is for how many seconds a rate is kept to after a ban, at most.
	longestPlain = 3600

	// forgetAt is how many times the learned rate must be reached before the rate may be forgotten.
	forgetAt = 20

	// idleOver is over how many requests the idle part of the rate is counted, about.
	idleOver = 8

	// strayGaps is how many gaps the break after a stray refusal is long, within bounds.
	strayGaps     = 4
	shortestBreak = 100 * time.Millisecond

	// keptRate is how much of the rate is left after it.
	keptRate = 0.97

	// price is how many good answers pay for a stray refusal. With this price, less than one answer in a
	// hundred is refused in the search for a limit. Good answers pay for at most two stray refusals in a
	// row.
	price       = 180
	mostAllowed = price * 5 / 2

	// A count covers some seconds: fewer if these give plenty of answers.
	plenty      = 16
	shortSpan   = 1
	usualSpan   = 3
	longestSpan = 120 // twice the widest gap

	// memory is how many seconds an average goes back, mostly.
	memory = 10
)

// Refusals by chance (chance.go).
const (
	// A rate was lowered in vain if two things hold. Refusals at a rate that was borne before outnumber
	// the others by enoughEarly. And they are not much rarer than as many refusals before them.
	enoughEarly = 4
	noRarer     = 0.6

	// leap is by how much a higher rate is tried.
	leap = 4

	// A trial is over if its result is sure enough, as a logarithm: e⁶ to one that there is a limit, or
	// e⁸ to one that there is none. At least three refusals are needed to say that there is one.
	sureOfLimit, sureOfNone, mostOfOne = 6, -8, 2

	// mostByChance is the largest part of the answers that is refused by chance.
	mostByChance = 0.5

	// mostSpare is how many refusals more than usual are taken for chance.
	mostSpare = 10

	// enoughWell is how many times the usual good answers between two refusals must come in a row until
	// polite believes that there are no refusals by chance any more.
	enoughWell = 20
)

// Rows of bad answers, and parts of a site (parts.go).
const (
	// rowLength is how many refusals in a row are more than chance where few are usual.
	rowLength = 5

	// oddity is how rare a row is that is no chance: once in a million, as a logarithm.
	oddity = -13.8

	// mostBad is the largest part of bad answers that makes a row longer. Bad answers may also tell of a
	// limit.
	mostBad = 0.7

	// The part of bad answers is that of the last answers: at most remembered and assumed. So many good ones
	// are assumed before the first.
	remembered, assumed = 28, 4

	// fewBad is a part of bad answers that needs no memory.
	fewBad = 0.1

	// wholeRow is how many times longer a row must be if it has met one section of several.
	wholeRow = 4

	// silentRow is how many timeouts in a row say something, whatever else is answered.
	silentRow = 3

	// longestAlone is the longest break if one section of several is bad.
	longestAlone = time.Second

	// enoughOwn is how many good answers of others lie between the refusals of a target that is
	// refused for a reason of its own.
	enoughOwn = 8

	// longestOwn is after how many good answers of others a target is forgotten, since
	// nobody asks for it any more.
	longestOwn = 10_000
)

// What an answer means (limit.go).
const (
	// Patience is how long an answer that does not come keeps others from beginning.
	Patience = time.Minute

	// banRate is the lowest rate after a ban: a page in five seconds, as the slowest crawlers ask.
	// Perhaps nobody had asked for more before.
	banRate = 0.2

	// aloneRate is the assumed rate of requests that were alone: each came after the answer to the one
	// before.
	aloneRate = 3

	// wellBefore is how many answers were good between two incidents if the second may be a ban by 503.
	wellBefore = 20

	// atOnceGaps is within how many gaps after a break a fleet is refused at once.
	atOnceGaps = 3

	// jump is how far a clock goes back at least if it was set.
	jump = time.Second
)

// Lanes of many sites (answer.go).
const (
	// longestMany is the longest break of many sites together.
	longestMany = 30 * time.Second

	// A machine behind many sites is found if at least fewestSites were refused, each of them refusalsPerSite
	// times, mostly, and with no more than goodPerRefusal good answers for each refusal, and firstRound. Where its
	// rate is known, two sites within knownRound good answers are enough.
	fewestSites, refusalsPerSite = 3, 3
	goodPerRefusal, firstRound   = 8, 16
	knownRound                   = 50
)

package limit

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A row is longer where more answers are bad, where more requests are under way, and in one section of several.
func TestRowsThatAreEnough(t *testing.T) {
	for _, tt := range []struct {
		badPart float32
		under   uint16
		good    uint64
		enough  uint8
	}{
		{0, 0, 1, 5},
		{0, 100, 1, 5},
		{0.01, 0, 1, 5},
		{0.5, 0, 1, 20},
		{0.5, 10, 1, 25},
		{0.7, 0, 1, 39},
		{0.9, 0, 1, 39},
		{0, 0, 3, 20},
		{0.5, 0, 3, 80},
		{0.5, 2000, 1, 200},
	} {
		r := row{badPart: tt.badPart, good: tt.good}
		assert.Equal(t, tt.enough, r.enough(tt.under), "%+v", tt)
	}
}

// What was refused of many sites counts as long as few answers are good.
func TestMachineForgets(t *testing.T) {
	for _, tt := range []struct {
		known   bool
		refused uint16
		good    int
		forgets bool
	}{
		{true, 3, 50, false},
		{true, 3, 51, true},
		{false, 3, 40, false},
		{false, 3, 41, true},
		{false, 0, 16, false},
		{false, 0, 17, true},
	} {
		m := &machine{well: math.MaxUint64, sites: 1, refused: tt.refused}
		for range tt.good {
			m.noteGood(2)
		}
		m.noteRefusal(3, tt.known)
		assert.Equal(t, tt.forgets, m.sites&1 == 0, "%+v", tt)
		assert.Equal(t, tt.forgets, m.refused == 1 && m.good == 0 || tt.refused == 0 && m.good == 0, "%+v", tt)
	}
}

// However low a known rate is, refusals and failures are judged by it.
func TestALowRateIsKnown(t *testing.T) {
	for base, known := range map[float32]bool{0: false, 0.5: true} {
		l := Limit{row: row{good: 1}, trouble: &trouble{rate: rate{base: base}, machine: &machine{well: math.MaxUint64, sites: 2, refused: 1}, pause: pause{why: Broken}}}
		assert.Equal(t, known, l.Witness() == Stranger)
		assert.Equal(t, known, l.isLimit(Broken))
		assert.False(t, l.isLimit(Barred))
		assert.True(t, l.isLimit(Down))
		assert.Equal(t, known, l.isMachine(&Answer{Section: 3, Now: time.Hour}))
		l.trouble.pause.on = true
		assert.False(t, l.isLimit(Broken))
		assert.Equal(t, Stranger, l.Witness())
	}
}

// Incidents that a target began count from the first that taught anything.
func TestSuspectsBeginAnew(t *testing.T) {
	var o suspects
	o.refused(7, ofTarget)
	o.began(7, true)
	o.began(0, false)
	assert.Equal(t, []uint8{2, 1}, []uint8{o.incidents, o.find(7).incidents})
	o.began(7, true)
	assert.Equal(t, []uint8{1, 1}, []uint8{o.incidents, o.find(7).incidents})
}

// The last four suspects are remembered, and of others that are answered well, only some count. A break is not well.
func TestSuspectsAreFour(t *testing.T) {
	var o suspects
	for target := range uint32(6) {
		o.refused(target, ofTarget)
	}
	for target, known := range []bool{false, false, true, true, true, true} {
		assert.Equal(t, known, o.find(uint32(target)) != nil, target)
	}
	for others, left := range map[uint16]uint16{10: 5, 32: 16, 100: 16} {
		s := suspect{others: others}
		s.fade(ofTarget)
		assert.Equal(t, left, s.others)
	}
	l := Limit{trouble: &trouble{pause: pause{end: time.Hour}}}
	assert.False(t, l.Healthy(time.Hour-1), "there is a break")
	assert.True(t, l.Healthy(time.Hour))
}

// The rate is forgotten if a target that is refused for a reason of its own has taught all of it.
func TestSuspectsThatTaughtAll(t *testing.T) {
	for _, tt := range []struct {
		all, own      uint8 // incidents
		others        uint16
		isOwn, allOwn bool
	}{{2, 2, enoughOwn, true, true}, {3, 2, enoughOwn, true, false}, {0, 0, enoughOwn, true, false}, {2, 2, enoughOwn - 1, false, false}} {
		o := suspects{incidents: tt.all}
		o.last[2] = suspect{target: 7, others: tt.others, incidents: tt.own}
		isOwn, allOwn := o.refused(7, ofTarget)
		assert.Equal(t, [2]bool{tt.isOwn, tt.allOwn}, [2]bool{isOwn, allOwn}, "%+v", tt)
		if isOwn {
			assert.Equal(t, []uint8{tt.all - tt.own, 0}, []uint8{o.incidents, o.last[2].incidents}, "%+v", tt)
		}
	}
}

// A body that shows a challenge takes back that its answer has ended a row: refusals of before and since are one row.
func TestResume(t *testing.T) {
	row1 := row{badPart: 0.5, length: 3, first: 1}
	strange := row{badPart: 0.5, strange: 3, strangeFirst: 1}
	edit := func(r row, edit func(*row)) row { edit(&r); return r }
	for _, tt := range []struct {
		name                string
		row, before, resume row
	}{
		{"nothing was ended", row{badPart: 0.2, length: 2}, row{}, row{badPart: 0.2, length: 2}},
		{"a row", row{badPart: 0.2}, row1, edit(row1, func(r *row) { r.badPart = 0.2 })},
		{"the part was lower before", row{badPart: 0.7}, row1, row1},
		{"one in several sections", row{badPart: 0.5}, edit(row1, func(r *row) { r.spread = true }), edit(row1, func(r *row) { r.spread = true })},
		{"the same section again", edit(row1, func(r *row) { r.length = 5 }), row1, edit(row1, func(r *row) { r.length = 5 })},
		{"another section since", edit(row1, func(r *row) { r.first, r.length = 2, 1 }), row1, edit(row1, func(r *row) { r.first, r.spread = 2, true })},
		{"several before", edit(row1, func(r *row) { r.length = 1 }), edit(row1, func(r *row) { r.spread = true }), edit(row1, func(r *row) { r.spread = true })},
		{"several since", edit(row1, func(r *row) { r.length, r.spread = 1, true }), row1, edit(row1, func(r *row) { r.spread = true })},
		{"one", row{badPart: 0.5}, edit(row1, func(r *row) { r.length = 1 }), edit(row1, func(r *row) { r.length = 1 })},
		{"a strange one", row{badPart: 0.5}, edit(strange, func(r *row) { r.strange = 1 }), edit(strange, func(r *row) { r.strange = 1 })},
		{"strange ones", row{badPart: 0.5}, strange, strange},
		{"strange ones in several sections", row{badPart: 0.5}, edit(strange, func(r *row) { r.strangeSpread = true }), edit(strange, func(r *row) { r.strangeSpread = true })},
		{"strange ones again", edit(strange, func(r *row) { r.strange = 5 }), strange, edit(strange, func(r *row) { r.strange = 5 })},
		{"strange ones of another section since", edit(strange, func(r *row) { r.strangeFirst, r.strange = 2, 1 }), strange, edit(strange, func(r *row) { r.strangeFirst, r.strangeSpread = 2, true })},
		{"strange ones of several before", edit(strange, func(r *row) { r.strange = 1 }), edit(strange, func(r *row) { r.strangeSpread = true }), edit(strange, func(r *row) { r.strangeSpread = true })},
		{"strange ones of several since", edit(strange, func(r *row) { r.strange, r.strangeSpread = 1, true }), strange, edit(strange, func(r *row) { r.strangeSpread = true })},
	} {
		tt.row.resume(tt.before)
		assert.Equal(t, tt.resume, tt.row, tt.name)
	}
}

// What each kind of answer means.
func TestKinds(t *testing.T) {
	const s = time.Second
	for number, want := range []struct {
		name                     string
		bad, overload, busy, ban bool
		longest                  time.Duration
	}{
		{"neutral", false, false, false, false, 300 * s},
		{"good", false, false, false, false, 300 * s},
		{"busy", true, true, true, true, 300 * s},
		{"busy", true, true, true, false, 300 * s},
		{"refused", true, true, false, false, 300 * s},
		{"silent", true, true, false, false, 600 * s},
		{"broken", true, false, false, false, 10 * s},
		{"barred", true, false, false, true, 60 * s},
		{"challenged", true, false, false, false, 60 * s},
	} {
		k := KindOf(int64(number))
		assert.Equal(t, Kind(number), k)
		assert.Equal(t, want.name, k.String())
		assert.Equal(t, [4]bool{want.bad, want.overload, want.busy, want.ban}, [4]bool{k.isBad(), k.isOverload(), k.isBusy(), k.isBan()}, k)
		assert.Equal(t, want.longest, k.longest(), k)
		a := Answer{Kind: k, Section: 3, Target: 7}
		section, target := a.blames()
		assert.Equal(t, want.busy, section == 4 && target == 7, k)
		assert.Equal(t, k != Refused, a.teaches(), k)
		assert.Equal(t, time.Second, a.longest(true))
		assert.Equal(t, want.longest, a.longest(false))
		a.Witness, a.Target = Well, 0
		assert.Equal(t, min(want.longest, 30*s), a.longest(false), k)
		assert.False(t, a.teaches(), k)
		section, target = a.blames()
		assert.Zero(t, section+target, k)
	}
	assert.Equal(t, Neutral, KindOf(-1))
	assert.Equal(t, Neutral, KindOf(9))
	assert.Equal(t, "unknown", Kind(9).String())
}

// What is known of refusals by chance, and when to find out more.
func TestChance(t *testing.T) {
	var none *chance
	assert.False(t, none.isUsual() || none.isKnown() || none.explains(0))
	for _, tt := range []struct {
		c            chance
		usual, known bool
	}{
		{chance{}, false, false},
		{chance{usual: 0.1}, true, true},
		{chance{was: new(rate)}, false, true},
	} {
		assert.Equal(t, [2]bool{tt.usual, tt.known}, [2]bool{tt.c.isUsual(), tt.c.isKnown()}, "%+v", tt.c)
	}
	for _, tt := range []struct {
		usual, allowed float32
		row            uint8 // the longest that is chance
	}{{0.1, 0.17, 2}, {0.4, 0.55, 7}, {0.5, 0.65, 9}} {
		c := chance{usual: tt.usual}
		assert.InDelta(t, tt.allowed, c.allowed(), 1e-6, tt.usual)
		assert.True(t, c.explains(tt.row), tt.usual)
		assert.False(t, c.explains(tt.row+1), tt.usual)
	}
	for _, tt := range []struct {
		good, bad uint16
		part      float32
	}{{0, 0, 0}, {96, 4, 0.06}, {7, 9, 0.5}, {0, 1, 0.5}} {
		assert.InDelta(t, tt.part, (&chance{good: tt.good, bad: tt.bad}).part(), 1e-6, "%+v", tt)
	}

	c := chance{was: new(rate), good: 90, bad: 4}
	for range 5 {
		assert.False(t, c.noteGood(2), "a trial goes on")
	}
	assert.True(t, c.noteGood(2), "it has found no limit")
	assert.Equal(t, chance{was: c.was, usual: 0.06, spare: mostSpare, most: 0.06, good: 96, bad: 4, row: 6}, c)
	c = chance{usual: 0.5}
	for range 62 {
		assert.False(t, c.noteGood(2))
	}
	assert.True(t, c.noteGood(2), "nothing is refused any more")
	assert.Equal(t, chance{most: 0.5}, c)
	c = chance{usual: 0.1, spare: 1}
	c.noteGood(2)
	assert.InDelta(t, 1+0.17/0.83, c.spare, 1e-6)
	for range 20 {
		c.noteGood(12)
	}
	assert.InDelta(t, 1+21*0.17/0.83, c.spare, 1e-3)
	for range 60 {
		c.noteGood(12)
	}
	assert.EqualValues(t, 12, c.spare, "as many as may be under way")
	c.noteGood(2)
	assert.EqualValues(t, mostSpare, c.spare)
	for range mostSpare {
		assert.True(t, c.takeSpare())
	}
	assert.False(t, c.takeSpare())
	assert.Zero(t, c.row)

	for _, tt := range []struct {
		most    float32
		refused int // until it is sure that there is a limit
	}{{0.01, 3}, {0.1, 3}, {0.5, 11}} {
		c := chance{usual: 0.3, most: tt.most, was: new(rate), row: 7}
		for range tt.refused - 1 {
			assert.False(t, c.try(), tt.most)
		}
		assert.Equal(t, [2]uint16{uint16(tt.refused - 1), 0}, [2]uint16{c.bad, c.row})
		assert.True(t, c.try(), tt.most)
		assert.Equal(t, chance{usual: 0.3}, c)
	}
}

// If refusals at a rate that was borne before outnumber the others by four, and become no rarer, a trial is due.
func TestEarlyRefusals(t *testing.T) {
	for _, tt := range []struct {
		name  string
		rare  float32 // the part before
		early []bool
		good  uint16 // answers before the last of them
		due   bool
		left  uint8
	}{
		{"too few", 0.1, []bool{true, true, true}, 36, false, 3},
		{"the first ones", 0, []bool{true, true, true, true}, 36, false, 0},
		{"no rarer", 0.1, []bool{true, true, true, true}, 36, true, 0},
		{"a little rarer", 0.16, []bool{true, true, true, true}, 36, true, 0},
		{"rarer", 0.17, []bool{true, true, true, true}, 36, false, 0},
		{"not by chance", 0.5, []bool{true, true, true, true}, 3, false, 0},
		{"half of all", 0.5, []bool{true, true, true, true}, 4, true, 0},
		{"others are late", 0.1, []bool{true, true, false, true, true}, 36, false, 3},
		{"others are late, before", 0.1, []bool{false, true, true, true, true}, 36, true, 0},
	} {
		c := chance{rare: tt.rare, good: 5, bad: 5, row: 3, sure: 2}
		for i, early := range tt.early {
			if i == len(tt.early)-1 {
				c.good = tt.good
			}
			assert.Equal(t, tt.due && i == len(tt.early)-1, c.noteEarly(early), "%s: %d", tt.name, i)
			assert.Zero(t, c.row, tt.name)
		}
		assert.Equal(t, tt.left, c.early, tt.name)
		assert.Equal(t, tt.due, c.sure == 0 && c.most > 0, tt.name)
	}
}

// A timeout says nothing if the site has answered a request that began later. An answer that says nothing of the site is no
// answer to one that never came.
func TestTimeouts(t *testing.T) {
	const s = time.Second
	for _, tt := range []struct {
		kind     Kind
		took     time.Duration
		incident bool
	}{{Neutral, 0, true}, {Neutral, s, false}, {Good, s, false}, {Barred, s, false}} {
		var l Limit
		l.Begin(time.Hour)
		l.Begin(time.Hour + s)
		l.End(Answer{Kind: tt.kind, Begun: time.Hour + s, Now: time.Hour + 2*s, Took: tt.took})
		assert.Equal(t, tt.incident, l.End(Answer{Kind: Silent, Begun: time.Hour, Now: time.Hour + 3*s}).Incident, "%+v", tt)
	}
}

// The answer that ends an incident is the first one that counts after it.
func TestCountAfterAnIncident(t *testing.T) {
	var l Limit
	now := time.Hour
	ask := func(kind Kind) Asks {
		now = l.Next(now)
		l.Begin(now)
		now += time.Second
		return l.End(Answer{Kind: kind, Begun: now - time.Second, Now: now, Took: time.Second})
	}
	for range 9 {
		ask(Good)
	}
	assert.True(t, ask(Busy).Incident)
	assert.True(t, ask(Good).Over)
	assert.Equal(t, count{since: stampOf(now), halves: 2}, l.count)
}

// As many requests are under way as a rate needs, and a rate that has risen far counts no more than twice what was borne. A
// search is made short, and never longer; where many send, active time runs slowly.
func TestWhatARateNeeds(t *testing.T) {
	for _, tt := range []struct {
		r    rate
		took millis
		want uint16
	}{
		{rate{base: 4}, 2000, 8},
		{rate{base: 4, active: doubling}, 2000, 16},
		{rate{base: 4, active: 2 * doubling}, 2000, 16},
		{rate{base: 4, fleet: 2 * fleetPart}, 2000, 4},
		{rate{base: 1e6}, 1000, widestWindow},
	} {
		assert.Equal(t, tt.want, tt.r.needs(tt.took), "%+v", tt.r)
	}
	for all, want := range map[float32]float32{0: 1, 1: 1, 3: 3, 999: 999, 5000: LargestFleet} {
		var r rate
		r.noteFleet(all)
		assert.Equal(t, want, r.all())
	}
	assert.Equal(t, 1000, LargestFleet)
	for all, want := range map[float32]float32{1: 1, 3: 2. / 3, 12: 1. / 3} {
		assert.InDelta(t, want, pace(all), 1e-6)
		r := rate{plain: 600}
		r.noteFleet(all)
		r.hurry()
		assert.InDelta(t, fallenSearch*want, r.plain, 1e-3)
		r.plain = 10
		r.hurry()
		assert.EqualValues(t, 10, r.plain)
	}
}

// Who looks for no limit hears of the break for which the site has asked. A neutral answer of one of many sites ends their row.
// An answer that was taken for trouble of all sites says nothing of its own.
func TestWhatIsHeardAllTheSame(t *testing.T) {
	const s = time.Second
	var l Limit
	l.Begin(time.Hour)
	assert.Equal(t, Asks{Break: 20 * s}, l.End(Answer{Kind: Down, Obeys: true, RetryAfter: 20 * s, Begun: time.Hour, Now: time.Hour + s, Took: s}))
	var taken Limit
	taken.Begin(time.Hour)
	assert.Zero(t, taken.End(Answer{Kind: Busy, Counted: true, Taken: true, Begun: time.Hour, Now: time.Hour + s, Took: s}))
	assert.Equal(t, []any{window{size: firstWindow, last: stampOf(time.Hour)}, stamp(0), true}, []any{taken.window, taken.heard, taken.trouble.shaken})
	for _, neutral := range []bool{false, true} {
		var many Limit
		now := time.Hour
		answer := func(kind Kind, site uint8) Asks {
			now += s
			many.Begin(now)
			return many.End(Answer{Kind: kind, Section: site, Target: uint32(site) + 1, Witness: Well, Begun: now, Now: now, Took: 1})
		}
		for site := range uint8(rowLength - 1) {
			assert.False(t, answer(Broken, site).Counted)
		}
		if neutral {
			answer(Neutral, 9)
		}
		assert.Equal(t, !neutral, answer(Broken, 9).Counted)
	}
}

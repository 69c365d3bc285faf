package limit

const (
	// mostParts is how many others are heard of what they sent before an incident.
	mostParts = 100

	// From firstTold to lastTold are the levels of a break at which all tell what they sent before it: it
	// may be a ban. They tell it at each level, since what is told may be lost.
	firstTold, lastTold = 3, 5
)

// A before is the rate before an incident, as an average. A ban is for what came in a while, so a
// burst is not the rate that it forbids. And it is for what all have sent together, of which each
// process knows only its own part, since there is no gap before a ban.
type before struct {
	own    float32
	guess  float32            // of all, as long as nobody else tells
	others map[uint32]float32 // by a hash of who has told it; nil if nobody has
	told   uint8              // the level at which the others have heard of own last
}

// newBefore returns what is known when an incident begins: what this process has sent, and how many
// requests all sent while it sent one.
func newBefore(own, all float32) *before { return &before{own: own, guess: own * all} }

// hear notes what another has sent. Whoever tells it again has sent no more.
func (b *before) hear(teller uint32, rate float32) {
	if _, known := b.others[teller]; rate <= 0 || !known && len(b.others) >= mostParts {
		return
	}
	if b.others == nil {
		b.others = make(map[uint32]float32)
	}
	b.others[teller] = rate
}

// all returns the rate of all. b may be nil.
func (b *before) all() float32 {
	if b == nil {
		return 0
	}
	if len(b.others) == 0 {
		return b.guess
	}
	sum := b.own
	for _, rate := range b.others {
		sum += rate
	}
	return sum
}

// untold reports whether the others are still to hear at this level of a part that counts.
func (b *before) untold(level uint8) bool {
	return level >= firstTold && level <= lastTold && b.told < level && b.own > 0 && mostParts*b.own >= b.all()
}

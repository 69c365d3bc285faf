package compare

// Bundles are verdicts that change, many of them in the same way. The zero Bundles has none.
type Bundles struct {
	first  []Verdict // as they came, while they are few
	all    []Verdict
	places map[bundle]int // in all
	rest   int            // verdicts that are in no bundle
}

// A bundle is what verdicts have in common: the rules that decide, and the crawlers, of which
// the first stands for all.
type bundle struct {
	old, new int
	crawler  string
}

const (
	few         = 20     // verdicts that are told one by one
	mostBundles = 10_000 // that are kept
)

// Add adds a verdict.
func (b *Bundles) Add(v Verdict) {
	if b.places == nil {
		b.places = make(map[bundle]int)
	}
	if len(b.first) <= few {
		b.first = append(b.first, v)
	}
	key := bundle{v.Old.Line, v.New.Line, v.Crawlers[0]}
	i, ok := b.places[key]
	switch {
	case ok:
		b.all[i].More++
	case len(b.all) < mostBundles:
		b.places[key] = len(b.all)
		b.all = append(b.all, v)
	default:
		b.rest++
	}
}

// Verdicts returns the verdicts that were added, if they are few. Otherwise it returns the
// first one of each bundle, which says how many more there are.
func (b *Bundles) Verdicts() []Verdict {
	if len(b.first) <= few {
		return b.first
	}
	return b.all
}

// Rest returns how many verdicts are in no bundle, because there are too many.
func (b *Bundles) Rest() int { return b.rest }

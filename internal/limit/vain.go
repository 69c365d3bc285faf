package limit

import "math"

const (
	// vainRow is after how many incidents in a row it is tried whether the rate is their
	// reason.
	vainRow = 12

	// vainGood is how many good answers there are between incidents that come by chance, at
	// least. A limit that lets bursts pass gains as many in a break.
	vainGood = 12

	// faster is by how much the rate rises with each refusal by chance.
	faster = 1.25

	// enoughIgnored is after how many incidents by chance the site is known to have them.
	enoughIgnored = 10
)

// A vain finds out whether it was in vain to lower the rate. Some sites refuse one request
// in a hundred, at any rate. They would be asked less and less.
type vain struct {
	before    float32   // the rate before the first of several incidents
	usual     float32   // good answers between two refusals
	enough    float32   // half of what was usual before; where they come by chance, how many there have to be
	good      uint16    // answers since the last one
	allowance allowance // of stray refusals
	row       uint8     // incidents at rates that were borne before, one after another
	ignored   uint8     // incidents by chance; 0: they come by the rate, as far as is known
	tried     bool      // the rate was taken back once, and that was wrong
}

// bear notes a good answer.
func (v *vain) bear() {
	v.good = min(v.good, math.MaxUint16-1) + 1
	v.allowance.earn()
}

// restart notes a refusal: good answers count from now on.
func (v *vain) restart() { v.good = 0 }

// isChance reports whether incidents come by chance, as far as is known.
func (v *vain) isChance() bool { return v.ignored > 0 }

// late notes a refusal at a rate that nobody has tried for long.
func (v *vain) late() { v.row = 0 }

// early judges a refusal at a rate that was borne before. It returns the rate to go on with if
// chance is the reason, or 0. At first this is the rate before the first of these incidents. Then
// it rises, until they come far more often. spare says that the refusal is allowed for, and lowers
// no rate.
func (v *vain) early(base float32, spare bool) (back float32) {
	v.count()
	switch {
	case v.isChance() && v.usual >= v.enough:
		v.ignored = min(v.ignored+1, enoughIgnored)
		v.tried = v.tried && v.ignored < enoughIgnored
		return faster * base
	case v.isChance():
		v.ignored, v.row, v.before = 0, 0, 0
		return 0
	case v.before == 0, v.usual >= 4*v.enough: // fewer come at a lower rate, so that it is their reason
		v.before, v.enough, v.row = base, v.usual/2, 0
	}
	if spare {
		return 0
	}
	return v.add(base)
}

// add notes an incident at a rate that was borne before.
func (v *vain) add(base float32) (back float32) {
	row := uint8(vainRow)
	if v.tried {
		row *= 2
	}
	if v.row = min(v.row+1, 2*vainRow); v.row < row || v.usual < vainGood || 2*base > v.before {
		return 0
	}
	v.enough = v.usual / 2
	v.row, v.ignored, v.tried = 0, 1, true
	return v.before
}

// count learns how many good answers there are between two refusals.
func (v *vain) count() {
	good := float32(v.good)
	if v.usual == 0 {
		v.usual = good
	}
	v.usual += (good - v.usual) / 8
}

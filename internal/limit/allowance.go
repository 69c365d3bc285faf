package limit

const (
	// price is how many good answers there are for a stray refusal. With it, less than one answer
	// in a hundred is refused in the search for a limit.
	price = 180

	// mostAllowed is the largest allowance.
	mostAllowed = price * 5 / 2
)

// An allowance is how many good answers were not spent on stray refusals yet. A limit without a
// burst refuses what comes a millisecond too early, and the way to a site shakes by more. If each
// of these refusals were an incident, the rate would go down and down.
type allowance uint16

// earn notes a good answer.
func (a *allowance) earn() { *a = min(*a+1, mostAllowed) }

// spend pays for a refusal. If the allowance is not enough, spend takes what there is and reports
// false.
func (a *allowance) spend() bool {
	if *a < price {
		*a = 0
		return false
	}
	*a -= price
	return true
}

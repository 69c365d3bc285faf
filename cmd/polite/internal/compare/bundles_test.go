package compare

import (
	"fmt"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// add adds verdicts by rules and for a crawler.
func add(b *Bundles, n, old, new int, crawler string) {
	for i := range n {
		b.Add(Verdict{URL: fmt.Sprint("/", i), Crawlers: []string{crawler}, Old: robots.Rule{Line: old}, New: robots.Rule{Line: new}})
	}
}

func TestBundles(t *testing.T) {
	var b Bundles
	assert.Empty(t, b.Verdicts())
	add(&b, 19, 1, 2, "a")
	add(&b, 1, 1, 3, "a")
	assert.Len(t, b.Verdicts(), 20, "few are told one by one")
	assert.Zero(t, b.Verdicts()[0].More)

	add(&b, 981, 1, 2, "a")
	add(&b, 5, 1, 2, "b")
	var told []string
	for _, v := range b.Verdicts() {
		told = append(told, fmt.Sprint(v.URL, " ", v.Old.Line, v.New.Line, v.Crawlers, "+", v.More))
	}
	assert.Equal(t, []string{"/0 1 2 [a]+999", "/0 1 3 [a]+0", "/0 1 2 [b]+4"}, told)
	assert.Zero(t, b.rest)
}

// However many ways there are, memory is bounded.
func TestBundlesBounded(t *testing.T) {
	var b Bundles
	for i := range mostBundles + 7 {
		add(&b, 1, i, 0, "a")
	}
	assert.Len(t, b.Verdicts(), mostBundles)
	assert.Equal(t, 7, b.rest)
}

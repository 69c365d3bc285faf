package robotstxt

import (
	"fmt"
	"testing"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
)

func TestTapKeepsWithinBounds(t *testing.T) {
	full := &Tap{size: maxTapped - 10*tappedSize("0", NewText(nil))}
	for i := range 100 {
		full.keep(fmt.Sprint(i), nil)
	}
	assert.LessOrEqual(t, len(full.urls), 10, "an empty file takes memory too")

	tap := new(Tap)
	for _, name := range []string{"a", "b", "a", "c", "b"} {
		tap.keep(name, make([]byte, maxTapped/10-1000))
	}
	assert.Nil(t, tap.Text(polite.Decision{RobotsURL: "a"}))
	assert.NotNil(t, tap.Text(polite.Decision{RobotsURL: "c"}))
	assert.LessOrEqual(t, tap.size, maxTapped)
	assert.Len(t, tap.texts, len(tap.urls))
}

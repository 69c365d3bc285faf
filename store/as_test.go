package store_test

import (
	"testing"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
)

// wrapper wraps Turns, and plain does so without a word.
type (
	wrapper struct{ store.Turns }
	plain   struct{ store.Turns }
)

func (w wrapper) Unwrap() store.Turns { return w.Turns }

// A Teacher is found, however often it is wrapped, if each wrapper says what it wraps.
func TestAs(t *testing.T) {
	inner, outer := new(memstore.Turns), new(memstore.Turns)
	for name, test := range map[string]struct {
		turns store.Turns
		want  store.Teacher
	}{
		"none":                 {nil, nil},
		"itself":               {inner, inner},
		"wrapped":              {wrapper{inner}, inner},
		"wrapped twice":        {wrapper{wrapper{inner}}, inner},
		"the first one":        {wrapper{teacher{wrapper{inner}, outer}}, teacher{wrapper{inner}, outer}},
		"it wraps nothing":     {wrapper{}, nil},
		"it does not say what": {plain{inner}, nil},
	} {
		found, ok := store.As[store.Teacher](test.turns)
		assert.Equal(t, test.want != nil, ok, name)
		assert.Equal(t, test.want, found, name)
	}
}

// A teacher is a wrapper that teaches otherwise.
type teacher struct {
	wrapper
	store.Teacher
}

func (t teacher) Unwrap() store.Turns { return t.wrapper }

// itself is Turns that wraps itself.
type itself struct{ store.Turns }

func (s itself) Unwrap() store.Turns { return s }

func TestAsOfWhatWrapsItself(t *testing.T) {
	_, ok := store.As[store.Reporter](itself{new(memstore.Turns)})
	assert.False(t, ok)
}

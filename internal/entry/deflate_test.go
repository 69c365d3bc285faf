package entry_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite/internal/entry"
	"github.com/stretchr/testify/assert"
)

// One Coder codes many entries at the same time as many Coders do. What is damaged among
// them harms no other.
func TestCoder(t *testing.T) {
	var coder entry.Coder
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 50 {
				body := []byte(strings.Repeat(fmt.Sprintf("disallow: /%d/%d\n", i, n), 1+50*n))
				r := &entry.Entry{Answer: &entry.Answer{Status: 200, MaxAge: -1, Body: body}}
				form := coder.Encode(r, key)
				assert.Equal(t, r.Encode(key), form)
				_, err := coder.Decode(key, sealed(`{"a":{"s":200},"z":true}`, "\xff not deflated"))
				assert.ErrorIs(t, err, entry.ErrDamaged)
				got, err := coder.Decode(key, form)
				assert.NoError(t, err)
				assert.Equal(t, r, got)
			}
		})
	}
	all.Wait()
}

// A Coder does not make its tables anew for each entry.
func TestCoderKeepsItsTables(t *testing.T) {
	var coder entry.Coder
	r := &entry.Entry{Answer: &entry.Answer{Status: 200, MaxAge: -1, Body: []byte(strings.Repeat("disallow: /a\n", 100))}}
	kept := allocated(func() { coder.Decode(key, coder.Encode(r, key)) })
	anew := allocated(func() { entry.Decode(key, r.Encode(key)) })
	assert.Less(t, 2*kept, anew)
}

// allocated returns how many bytes 100 calls of f allocate.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		f()
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

package tries_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/tries"
	"github.com/stretchr/testify/assert"
)

// What belongs to a try goes with its context. A hop waits for another time.
func TestContextOfATry(t *testing.T) {
	assert.Nil(t, tries.Of(t.Context()))
	assert.Nil(t, tries.First(t.Context()))
	r, first := new(tries.Request), &url.URL{Host: "a.example"}
	ctx := tries.With(t.Context(), r, first, time.Second, time.Minute)
	assert.Same(t, r, tries.Of(ctx))
	assert.Same(t, first, tries.First(ctx))
	assert.Equal(t, time.Second, r.Patience(new(http.Request)))
	assert.Equal(t, time.Minute, r.Patience(&http.Request{Response: new(http.Response)}))
}

// A request is judged once, and waits once, from the first try that was put off to the one that is sent. Each hop is
// another request.
func TestOneRequestOfSeveralTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []any
		began := time.Now()
		refusal := func(waits bool) tries.Refusal {
			f := tries.Refusal{Of: new(http.Request), GivenUp: func() { told = append(told, "given up") }}
			if waits {
				f.Waits = func() func(error) {
					told = append(told, "waits")
					return func(err error) { told = append(told, err) }
				}
				f.Long = func(at time.Time) { told = append(told, at.Sub(began)) }
			}
			return f
		}
		so := func() []any { all := told; told = nil; return all }
		var none *tries.Request
		none.Judge()
		assert.False(t, none.Judge(), "nobody tries it again")

		r := new(tries.Request)
		assert.False(t, r.Judge())
		assert.True(t, r.Judge())
		assert.Nil(t, r.Refused().Of)
		r.PutOff()
		assert.Empty(t, so(), "it was not refused")
		r.Refuse(refusal(true))
		assert.NotNil(t, r.Refused().Of)
		r.PutOff()
		assert.Equal(t, []any{"waits", time.Duration(0)}, so())
		assert.Nil(t, r.Refused().Of)
		time.Sleep(time.Second)
		r.Refuse(refusal(true))
		r.PutOff()
		assert.Equal(t, []any{time.Duration(0)}, so(), "it waits already")
		r.Over(nil)
		assert.Equal(t, []any{nil}, so())
		r.Over(nil)
		assert.Empty(t, so())
		assert.False(t, r.Judge(), "a hop")

		r.Refuse(refusal(false))
		r.PutOff()
		assert.Empty(t, so(), "it waits for no turn")
		r.Refuse(refusal(true))
		tries.With(t.Context(), r, nil, 0, 0)
		assert.Nil(t, r.Refused().Of, "that was another try")
		r.Refuse(refusal(true))
		r.PutOff()
		so()
		r.Refuse(refusal(true))
		why := errors.New("why")
		r.GiveUp(why)
		assert.Equal(t, []any{why, "given up"}, so())
		r.GiveUp(why)
		assert.Empty(t, so())
		r.Wait(func() func(error) { return nil })
		r.Over(context.Canceled)
		assert.Empty(t, so())
	})
}

package ask

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A hall is a capacity, and what becomes of the fetches that want it.
type hall struct {
	*testing.T
	*capacity
	began time.Time
	mu    sync.Mutex
	log   []string
	all   sync.WaitGroup
}

func inHall(t *testing.T, most int, f func(h *hall)) {
	synctest.Test(t, func(t *testing.T) {
		h := &hall{T: t, capacity: newCapacity(most), began: time.Now()}
		f(h)
		h.all.Wait()
		assert.Equal(t, []int{most, 0, 0}, []int{h.free, h.under.Len(), h.waiting.Len()})
	})
}

func (h *hall) note(name, what string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, fmt.Sprint(time.Since(h.began), " ", name, " ", what))
}

// fetch lets a fetch wait for capacity and then take a while. It returns a function that ends it before.
func (h *hall) fetch(name string, takes time.Duration, giveWay func(slow bool) bool) (end context.CancelCauseFunc) {
	ctx, end := context.WithCancelCause(h.Context())
	f := &flight{end: end, giveWay: giveWay}
	h.all.Go(func() {
		leave, err := h.take(context.WithValue(ctx, inFlight{}, f))
		if err != nil {
			h.note(name, err.Error())
			return
		}
		h.note(name, "begins")
		select {
		case <-time.After(takes):
		case <-ctx.Done():
			h.note(name, context.Cause(ctx).Error())
		}
		leave()
	})
	synctest.Wait()
	return end
}

func stays(bool) bool { return false }

// Fetches have their capacity in order of arrival. One that ends while it waits takes none.
func TestCapacity(t *testing.T) {
	inHall(t, 2, func(h *hall) {
		h.fetch("a", time.Second, stays)
		h.fetch("b", 2*time.Second, stays)
		h.fetch("c", time.Second, stays)
		end := h.fetch("d", time.Second, stays)
		h.fetch("e", time.Second, stays)
		time.Sleep(time.Second / 2)
		end(errors.New("gone"))
		h.all.Wait()
		assert.Equal(t, []string{"0s a begins", "0s b begins", "500ms d gone", "1s c begins", "2s e begins"}, h.log)
	})
}

// Slow fetches have half of the capacity while others wait: the oldest of more ends.
func TestSlowGiveWay(t *testing.T) {
	inHall(t, 4, func(h *hall) {
		h.fetch("a", time.Hour, stays)
		h.fetch("b", time.Hour, stays)
		time.Sleep(time.Second)
		h.fetch("c", time.Hour, stays)
		h.fetch("d", 10*time.Second, stays)
		time.Sleep(time.Second)
		h.fetch("e", time.Second, stays)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{
			"0s a begins", "0s b begins", "1s c begins", "1s d begins", "4s a " + errGaveWay.Error(), "4s e begins",
		}, h.log, "and nobody ends for nobody")
	})
}

// A fetch for which nobody waits gives way, at once when this is told, and is asked once.
func TestYield(t *testing.T) {
	inHall(t, 2, func(h *hall) {
		yields, asked := false, []bool(nil)
		h.fetch("a", 20*time.Second, stays)
		var end context.CancelCauseFunc
		end = h.fetch("b", 20*time.Second, func(slow bool) bool {
			if yields {
				asked = append(asked, slow)
				time.AfterFunc(5*time.Second, func() { end(errGaveWay) }) // it takes a while
			}
			return yields
		})
		time.Sleep(time.Second)
		h.fetch("c", time.Second, stays)
		time.Sleep(time.Second)
		yields = true
		h.yielded()
		h.all.Wait()
		assert.Equal(t, []string{"0s a begins", "0s b begins", "7s b " + errGaveWay.Error(), "7s c begins"}, h.log)
		assert.Equal(t, []bool{false}, asked)
	})
	inHall(t, 1, func(h *hall) {
		var end context.CancelCauseFunc
		end = h.fetch("a", time.Hour, func(slow bool) bool {
			if slow {
				go end(errGaveWay)
			}
			return slow
		})
		time.Sleep(time.Second)
		h.fetch("b", time.Second, stays)
		h.all.Wait()
		assert.Equal(t, []string{"0s a begins", "3s a " + errGaveWay.Error(), "3s b begins"}, h.log, "it is slow by then")
	})
}

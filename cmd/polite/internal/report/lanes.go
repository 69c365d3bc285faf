package report

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// Lanes tells what waits in a cache, and why, until end is called. It looks once a second, and tells what
// it has not told of a lane before.
func (r Report) Lanes(cache *polite.Cache) (end func()) {
	stop := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		told := make(map[string]string)
		ticker := time.NewTicker(time.Second)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				r.lanes(cache, told)
			}
		}
	})
	return func() {
		close(stop)
		looks.Wait()
	}
}

// lanes tells what waits in a cache and is not told yet.
func (r Report) lanes(cache *polite.Cache, told map[string]string) {
	for l := range cache.Lanes() {
		if why := l.Why(); l.Waiting > 0 && why != "" && told[l.Key] != why {
			told[l.Key] = why
			io.WriteString(r.W, r.lane(l))
		}
	}
}

func (r Report) lane(l polite.Lane) string {
	if !r.JSON {
		return printable.Text(fmt.Sprintf("waiting for %s: %s", l.Key, l.Why())) + "\n"
	}
	return verb.JSONLine(struct {
		Lane    string       `json:"lane"`
		Waiting int          `json:"waiting"`
		Cause   polite.Cause `json:"cause"`
		Why     string       `json:"why"`
		Next    time.Time    `json:"next,omitzero"`
	}{l.Key, l.Waiting, l.Cause, l.Why(), l.Next})
}

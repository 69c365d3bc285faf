package redisfleet

import (
	"context"
	"fmt"
)

// fit returns why turns must not go on, or nil. If the server does not fit, it looks once a
// second whether it does again.
func (f *Fleet) fit(ctx context.Context) error {
	if f.client == nil {
		return errZero
	}
	if f.fitness.why() == nil {
		return nil
	}
	if f.fitness.isDue() {
		f.beat(ctx, f.keys.beats("none"), "0") // it notes the layout
		f.look(ctx)
	}
	return f.fitness.why()
}

// look looks whether the server deletes keys by now. If a node does not answer, it says
// nothing: a turn there fails, too. What was deleted meanwhile counts as lost.
func (f *Fleet) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestCall)
	defer cancel()
	for address, node := range f.client.Nodes() {
		info, err := facts(ctx, node, "memory")
		if err != nil {
			return
		}
		if err := keeps(info); err != nil {
			f.fitness.keeps(fmt.Errorf("redisfleet: the server at %s %w", address, err))
			return
		}
	}
	if f.fitness.keeps(nil) {
		f.changed(0)
	}
}

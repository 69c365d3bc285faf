package turns

import (
	"context"
	"time"
)

// A Called is called after a call of a store that began at some time.
type Called func(ctx context.Context, call string, began time.Time, err error)

const (
	// callTimeout is the longest time that polite waits for Turns.
	callTimeout = 5 * time.Second

	// longWait is how long a wait is that Hooks.Long reports.
	longWait = time.Minute
)

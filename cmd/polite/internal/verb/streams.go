package verb

import (
	"context"
	"fmt"
	"io"
)

// Streams are what a verb reads and writes: pages, verdicts and findings go to Out,
// all else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Warning returns a function that tells an error in spite of which a verb goes on.
func (s Streams) Warning(verb string) func(error) {
	return func(err error) { fmt.Fprintf(s.Err, "polite %s: %s\n", verb, Message(err)) }
}

// Input returns a reader of In that fails as soon as ctx ends. In itself may be a
// terminal, whose Read does not return then.
func (s Streams) Input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, s.In)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

package diff

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// readerFunc is a reader that is a function.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(to []byte) (int, error) { return f(to) }

// What is no URL in a list is told, but not that polite was interrupted while it read the list: this is told in the end.
func TestTell(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	stops := readerFunc(func([]byte) (int, error) {
		cancel(interrupted)
		return 0, interrupted
	})
	for _, test := range []struct {
		in   io.Reader
		err  error
		told string
	}{
		{iotest.ErrReader(errors.New("broken")), nil, "broken"},
		{stops, interrupted, ""},
	} {
		var told strings.Builder
		std := verb.Streams{In: test.in, Out: io.Discard, Err: &told}
		c := compare.New(robots.Parse(nil), robots.Parse([]byte("user-agent: *\ndisallow: /")), [][]string{{"*"}})
		_, err := options{urls: "-"}.tell(ctx, c, input.Lists{Std: std}, std)
		assert.Equal(t, test.err, err)
		assert.Equal(t, test.told == "", told.String() == "", told.String())
		assert.Contains(t, told.String(), test.told)
	}
}

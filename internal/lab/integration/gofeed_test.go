package integration

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/mmcdole/gofeed"
)

func TestGofeed(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		parser := gofeed.NewParser()
		parser.Client = &http.Client{Transport: wrap(base)}
		return func(ctx context.Context, url string) (int, error) {
			_, err := parser.ParseURLWithContext(url, ctx)
			if answer, ok := errors.AsType[gofeed.HTTPError](err); ok {
				return answer.StatusCode, nil
			}
			return http.StatusOK, err
		}
	}, answeredOnce)
}

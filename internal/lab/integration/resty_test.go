package integration

import (
	"context"
	"net/http"
	"testing"

	"github.com/go-resty/resty/v2"
	resty3 "resty.dev/v3"
)

// resty tries again on every error, unless it is told when to.
func TestResty(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		client := resty.New().SetTransport(wrap(base)).SetRetryCount(3)
		client.AddRetryCondition(func(resp *resty.Response, err error) bool {
			return err == nil && resp.StatusCode() == http.StatusServiceUnavailable
		})
		return func(ctx context.Context, url string) (int, error) {
			resp, err := client.R().SetContext(ctx).Get(url)
			return resp.StatusCode(), err
		}
	}, retried("0s /busy, 0s /busy"))
}

// Version 3 tries again on errors that are temporary. A refusal is none.
func TestResty3(t *testing.T) {
	travel(t, func(base http.RoundTripper, wrap wrapper) fetch {
		client := resty3.New().SetTransport(wrap(base)).SetRetryCount(3)
		client.AddRetryConditions(func(resp *resty3.Response, err error) bool {
			return err == nil && resp.StatusCode() == http.StatusServiceUnavailable
		})
		return func(ctx context.Context, url string) (int, error) {
			resp, err := client.R().SetContext(ctx).Get(url)
			return resp.StatusCode(), err
		}
	}, retried("0s /busy, 3s /busy"))
}

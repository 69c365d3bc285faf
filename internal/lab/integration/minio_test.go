package integration

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/minio/minio-go/v7"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answered is what docs/clients.md shows for clients that try again whatever the error is.
type answered struct{ http.RoundTripper }

func (a answered) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(req)
	if errors.Is(err, polite.ErrRefused) {
		return &http.Response{
			Status: "403 Refused by polite", StatusCode: http.StatusForbidden, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: make(http.Header), Body: io.NopCloser(strings.NewReader(err.Error())), Request: req,
		}, nil
	}
	return resp, err
}

// counting counts the requests that a client makes.
type counting struct {
	http.RoundTripper
	tries int
}

func (c *counting) RoundTrip(req *http.Request) (*http.Response, error) {
	c.tries++
	return c.RoundTripper.RoundTrip(req)
}

// minio-go tries again on every error, but a refusal never reaches the site. If refusals are
// answers, it leaves them alone.
func TestMinio(t *testing.T) {
	for name, test := range map[string]struct {
		wrap    wrapper
		retries int // Options.MaxRetries
		want    int
	}{
		"a refusal":                  {wrap: wrap, want: 10},
		"a refusal, without retries": {wrap: wrap, retries: 1, want: 1},
		"a refusal as an answer":     {wrap: func(base http.RoundTripper) http.RoundTripper { return answered{wrap(base)} }, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Text(rules))
				counted := &counting{RoundTripper: test.wrap(web.Transport(t))}
				client, err := minio.New("example.com", &minio.Options{Transport: counted, Region: "us-east-1", MaxRetries: test.retries})
				require.NoError(t, err)
				_, err = client.StatObject(t.Context(), "private", "object", minio.StatObjectOptions{})
				assert.Error(t, err)
				assert.Equal(t, test.want, counted.tries)
				assert.Equal(t, "GET http://example.com/robots.txt\n", web.Log().String())
			})
		})
	}
}

// What the site answers is still tried again, when its Retry-After is over.
func TestMinioRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(rules))
		web.Page("example.com", "/bucket/object", origintest.Status(503, "Retry-After", "60"), origintest.Status(200, "Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT", "Etag", `"a"`))
		client, err := minio.New("example.com", &minio.Options{Transport: answered{wrap(web.Transport(t))}, Region: "us-east-1"})
		require.NoError(t, err)
		_, err = client.StatObject(t.Context(), "bucket", "object", minio.StatObjectOptions{})
		assert.NoError(t, err)
		log := web.Log().Pages()
		require.Len(t, log, 2)
		assert.GreaterOrEqual(t, log[1].Time.Sub(log[0].Time), time.Minute)
	})
}

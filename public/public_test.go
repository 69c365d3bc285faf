package public_test

import (
	"net/url"
	"testing"

	"github.com/go-polite/polite/public"
	"github.com/stretchr/testify/assert"
)

// A refusal is ErrPrivate.
func TestErrPrivate(t *testing.T) {
	for address, refused := range map[string]bool{"1.1.1.1:80": false, "[2606:4700::1]:80": false, "127.0.0.1:80": true, "[::1]:80": true, "1.1.1.1": true, "one.example:80": true} {
		if err := public.Control("tcp", address, nil); refused {
			assert.ErrorIs(t, err, public.ErrPrivate, address)
		} else {
			assert.NoError(t, err, address)
		}
	}
	for _, test := range []struct {
		from, to string
		refused  bool
	}{
		{"one.example.com", "two.example.com", false},
		{"one.example.com", "localhost", true},
		{"localhost", "10.0.0.1", false},
		{"localhost", "one.example.com", false},
		{"010.1.1.1", "010.1.1.1", false}, // neither private nor public
		{"0X7F.1", "0x7f.1", false},
		{"010.1.1.1", "10.1.1.1", true},
	} {
		if err := public.Redirect(&url.URL{Host: test.from}, &url.URL{Host: test.to}); test.refused {
			assert.ErrorIs(t, err, public.ErrPrivate, "%s to %s", test.from, test.to)
		} else {
			assert.NoError(t, err, "%s to %s", test.from, test.to)
		}
	}
}

package queue_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page that is asked for with a password goes on with it at a hop that was refused. A password that a
// site gives in a redirect is not known then, and none is made up.
func TestPassword(t *testing.T) {
	for name, test := range map[string]struct {
		location string
		refused  bool
	}{
		"the same":      {"/to", false},
		"of the site":   {"http://other:word@example.com/to", true},
		"none":          {"http://slow.example/to", false},
		"of some other": {"http://user:word@slow.example/to", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(string) site {
					return site{robots: delayed(10), page: func(path string) (int, http.Header) {
						if path == "/from" {
							return http.StatusFound, http.Header{"Location": {test.location}}
						}
						return http.StatusOK, nil
					}}
				}}
				q, l := newQueue(w, polite.Pace{}), newLedger()
				require.NoError(t, q.Push("http://slow.example/", 0))
				require.NoError(t, q.Push("http://user:secret@Example.com/from", 0))
				require.NoError(t, q.Run(t.Context(), 1, l.handle))
				if test.refused {
					assert.ErrorIs(t, l.errors[1], polite.ErrDelayed)
				} else {
					assert.NoError(t, l.errors[1])
				}
				for _, a := range w.inOrder() {
					if a.host != "slow.example" {
						assert.Equal(t, "user:secret", a.user, a.uri)
					} else {
						assert.Empty(t, a.user)
					}
				}
			})
		})
	}
}

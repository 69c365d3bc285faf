package queue_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A page goes on at a hop that was refused with the password that net/http sends there: its own within the
// site, or the one that the site gives in its redirect.
func TestPassword(t *testing.T) {
	for name, test := range map[string]struct {
		location string
		user     string // of the hop
	}{
		"the same":      {"/to", "user:secret"},
		"of the site":   {"http://other:word@example.com/to", "other:word"},
		"none":          {"http://slow.example/to", ""},
		"of some other": {"http://user:word@slow.example/to", "user:word"},
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
				assert.NoError(t, l.errors[1])
				for _, a := range w.inOrder() {
					switch a.uri {
					case "/from":
						assert.Equal(t, "user:secret", a.user)
					case "/to":
						assert.Equal(t, test.user, a.user)
					}
				}
			})
		})
	}
}

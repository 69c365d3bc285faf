package proxy

import (
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An endless is a listener to which somebody connects at any time, and never says anything.
type endless struct{ net.Listener }

func (endless) Close() error { return nil }

func (endless) Accept() (net.Conn, error) { return new(silent), nil }

// A silent is a connection that notes whether it is closed.
type silent struct {
	net.Conn
	closed bool
}

func (s *silent) Close() error {
	s.closed = true
	return nil
}

// Who has not shown the secret takes no room of who has, and keeps nobody waiting.
func TestUnknownTakeNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := bounded(endless{}, doorman{secret: "secret"})
		accept := func() *boundedConn {
			conn, err := l.Accept()
			require.NoError(t, err)
			return conn.(*boundedConn)
		}
		isOpen := func(c *boundedConn) bool { return !c.Conn.(*silent).closed }
		known, stranger := accept(), accept()
		assert.True(t, known.settle(nil))
		for range 2 * mostConnections {
			accept()
		}
		assert.Equal(t, mostUnknown, l.unknown)
		assert.Len(t, l.room, 1)
		assert.True(t, isOpen(known))
		assert.False(t, isOpen(stranger), "the oldest goes")
		assert.NoError(t, stranger.Close())

		var all []*boundedConn
		for range mostConnections - 1 {
			all = append(all, accept())
			assert.True(t, all[len(all)-1].settle(nil))
		}
		ended, late := make(chan struct{}), accept()
		var got []bool
		go func() { got = append(got, late.settle(ended)) }()
		synctest.Wait()
		assert.Empty(t, got, "it waits for room")
		known.Close()
		known.Close()
		synctest.Wait()
		assert.Equal(t, []bool{true}, got)
		assert.True(t, late.settle(nil), "for its next request, too")
		gone := accept()
		gone.Close()
		go func() { got = append(got, gone.settle(ended)) }()
		all[0].Close()
		synctest.Wait()
		assert.Equal(t, []bool{true, false}, got, "it was closed meanwhile")
		assert.Len(t, l.room, mostConnections-1)
		accept().settle(nil)
		last := accept()
		go func() { got = append(got, last.settle(ended)) }()
		close(ended)
		synctest.Wait()
		assert.Equal(t, []bool{true, false, false}, got)
		for _, c := range append(all[1:], late) {
			c.Close()
		}
		assert.Len(t, l.room, 1)
		last = accept()
		assert.True(t, isOpen(last))
		l.closeAll()
		assert.False(t, isOpen(last))
	})
}

package proxy

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// A WebSocket of which one side says nothing more ends two minutes later, on both sides.
func TestHalfOpenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		program, proxied := net.Pipe()
		site, there := net.Pipe()
		c := &chat{ReadWriteCloser: site, program: proxied}
		there.Close()
		began := time.Now()
		_, err := c.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF)
		_, err = program.Read(make([]byte, 1))
		assert.ErrorIs(t, err, io.EOF)
		assert.Equal(t, mostRest, time.Since(began))
	})
}

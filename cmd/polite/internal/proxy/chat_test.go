package proxy

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// A program that opens a tunnel and says nothing is left half a minute later. Once it has begun, it may be silent
// for as long as it likes.
func TestSilentTunnels(t *testing.T) {
	for _, first := range []string{"", "G"} {
		synctest.Test(t, func(t *testing.T) {
			program, proxied := net.Pipe()
			tunnels, began := newTunneler(nil, new(counts)), time.Now()
			go func() {
				_, err := io.ReadFull(program, make([]byte, len("HTTP/1.1 200 Connection Established\r\n\r\n")))
				assert.NoError(t, err)
				io.WriteString(program, first)
				time.Sleep(time.Hour)
				program.Close()
			}()
			go func() {
				if conn, err := tunnels.Accept(); err == nil {
					_, err = io.ReadAll(conn)
					assert.NoError(t, err)
				}
			}()
			opened := tunnels.open(&tunnel{Conn: proxied, early: bufio.NewReader(proxied)})
			assert.Equal(t, first != "", opened)
			if !opened {
				assert.Equal(t, 30*time.Second, time.Since(began))
			}
			time.Sleep(2 * time.Hour)
			require.NoError(t, tunnels.Close())
		})
	}
}

// Waits that a program notices are counted.
func TestWaited(t *testing.T) {
	var c counts
	req, err := http.NewRequestWithContext(c.in(t.Context()), http.MethodGet, "http://shop.test/", nil)
	require.NoError(t, err)
	for _, wait := range []time.Duration{moment - 1, moment, 2 * time.Second, time.Second} {
		Waited(req, wait, nil)
	}
	assert.Equal(t, Tally{Waits: 3, Wait: 3*time.Second + moment, Longest: 2 * time.Second}, c.summary())
	c.refused(KindLoop)
	before := c.summary()
	c.refused(KindLoop)
	assert.EqualValues(t, 1, before.Refused[KindLoop])
}

// A program comes back after the time, and never at once.
func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Hour: "1", 0: "1", 1: "1", time.Second: "1", time.Second + 1: "2", 90 * time.Second: "90"} {
		assert.Equal(t, want, seconds(d), d)
	}
}

// The ports are in order, each once, as the Fetch standard has them.
func TestOddPorts(t *testing.T) {
	assert.Len(t, oddPorts(), 83)
	assert.True(t, slices.IsSorted(oddPorts()))
	assert.Len(t, slices.Compact(oddPorts()), 83)
}

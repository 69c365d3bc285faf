package stamps_test

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/go-polite/polite/redisfleet/internal/stamps"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What arrives is stamped when it does, and not when someone finds the time to read it.
func TestArrivalIsStamped(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's stamps are Linux's")
	}
	l, err := stamps.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	client, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	defer client.Close()
	conn, err := l.Accept()
	require.NoError(t, err)
	site := conn.(*stamps.Conn)
	defer site.Close()
	for range 3 {
		wrote := time.Now()
		client.Write([]byte("a request"))
		time.Sleep(50 * time.Millisecond)
		reads := time.Now()
		for range len("a request") / 3 { // in parts, as a server may
			_, err = site.Read(make([]byte, 3))
			require.NoError(t, err)
			assert.GreaterOrEqual(t, site.At.UnixNano(), wrote.UnixNano())
			assert.Less(t, site.At.UnixNano(), reads.UnixNano())
		}
	}
}

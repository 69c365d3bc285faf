package network

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// ports counts the ports that were free. The first depends on the process.
var ports atomic.Int64

// FreePort returns a port for a server that is started later, and perhaps again. No connection
// takes it meanwhile: systems give these ports from 32768 on.
func FreePort(t testing.TB) string {
	t.Helper()
	for range 20_000 {
		port := fmt.Sprint(10_000 + (int64(os.Getpid())*97+ports.Add(1))%20_000)
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

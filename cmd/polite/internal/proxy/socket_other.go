//go:build !linux

package proxy

import (
	"net"
)

// hasHungUp cannot tell here, before all that was sent is read.
func hasHungUp(*boundedConn) bool { return false }

const tellsUsers = false

// userOf cannot tell the user here.
func userOf(net.Conn) (uid int, ok bool) { return 0, false }

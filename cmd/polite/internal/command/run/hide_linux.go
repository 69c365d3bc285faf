package run

import "golang.org/x/sys/unix"

// hide keeps the memory of this process, which has a key, from other processes of its user and
// from core dumps. What it starts afterwards is not hidden.
func hide() { unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) } // the proxy works without it

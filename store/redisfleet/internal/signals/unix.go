//go:build unix

package signals

import (
	"os"
	"syscall"
)

// Supported says whether this system can let a process stand still.
const Supported = true

// Stop lets p stand still.
func Stop(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

// Continue lets p go on.
func Continue(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

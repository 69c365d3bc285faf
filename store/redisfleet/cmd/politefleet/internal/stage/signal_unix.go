//go:build unix

package stage

import "syscall"

// canPause says whether this system can let a process stand still.
const canPause = true

func (p *process) pause() error  { return p.Process.Signal(syscall.SIGSTOP) }
func (p *process) resume() error { return p.Process.Signal(syscall.SIGCONT) }

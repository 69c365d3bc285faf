//go:build unix

package tester

import (
	"os/exec"
	"syscall"
)

// apart lets a program live on when Ctrl-C ends this one.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

package stage

import (
	"os/exec"
	"syscall"
)

// endWithParent lets a command be killed when this process ends, even if it is killed.
func endWithParent(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}

//go:build !unix

package tester

import "os/exec"

func apart(*exec.Cmd) {}

//go:build !linux

package command

// hide does nothing here.
func hide() {}

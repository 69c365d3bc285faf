//go:build !linux

package run

// hide does nothing here.
func hide() {}

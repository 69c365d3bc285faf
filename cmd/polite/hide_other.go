//go:build !linux

package main

// hide does nothing here.
func hide() {}

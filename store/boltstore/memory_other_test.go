//go:build !linux

package boltstore_test

func inMemory() string { return "" }

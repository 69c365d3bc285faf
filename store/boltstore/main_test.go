package boltstore_test

import (
	"fmt"
	"os"
	"testing"
)

// tasks are what another process does for a test, with a file.
var tasks = map[string]func(path string) error{
	"keep open": keepOpen,
	"write":     writeUntilKilled,
}

func TestMain(m *testing.M) {
	if task := os.Getenv("BOLTSTORE_TASK"); task != "" {
		if err := tasks[task](os.Getenv("BOLTSTORE_PATH")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if folder := inMemory(); folder != "" {
		os.Setenv("TMPDIR", folder)
	}
	os.Exit(m.Run())
}

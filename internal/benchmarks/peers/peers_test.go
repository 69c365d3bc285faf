package main

import (
	"os"
	"strings"
	"testing"
)

// README shows what the clients do that need no other language.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for row := range strings.Lines(table(clients()[:3])) {
		if row = strings.TrimSuffix(row, " |\n"); !strings.HasPrefix(row, "|---") && !strings.Contains(string(readme), row) {
			t.Errorf("README does not have the row %q", row)
		}
	}
}

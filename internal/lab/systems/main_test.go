package main

import (
	"os"
	"path/filepath"
	"testing"
)

// What does not compile on one system alone is found, in tests, too.
func TestCheck(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.26\n",
		"m.go":             "package m\n\nimport \"os\"\n\nvar F = os.Getpid\n",
		"m_windows.go":     "package m\n\nvar G = lost\n",
		"m_darwin_test.go": "package m\n\nvar H = lost\n",
		"m_386.go":         "package m\n\nvar N int = 1 << 40\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for system, architecture := range map[string]string{"windows": "amd64", "darwin": "arm64", "linux": "386", "freebsd": "amd64"} {
		errors, err := check(system, architecture, folder)
		if err != nil {
			t.Fatal(err)
		}
		if found := len(errors) > 0; found != (system != "freebsd") {
			t.Errorf("%s/%s: %q", system, architecture, errors)
		}
	}
}

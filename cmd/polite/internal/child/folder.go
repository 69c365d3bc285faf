package child

import (
	"os"
	"path/filepath"
)

// A folder is a temporary folder for the user alone.
type folder string

func newFolder() (folder, error) {
	name, err := os.MkdirTemp("", "polite-run-") // of mode 0700
	return folder(name), err
}

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// write writes a file and returns its path.
func (f folder) write(name string, data []byte, mode os.FileMode) (path string, err error) {
	path = f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, data, mode)
}

// remove removes the folder.
func (f folder) remove() { os.RemoveAll(string(f)) }

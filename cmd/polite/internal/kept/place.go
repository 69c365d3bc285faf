package kept

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Variable is the environment variable that names another folder for the cache.
const Variable = "POLITE_CACHE"

// Name returns the name of the file that holds the cache. It may not exist.
func Name() (string, error) {
	folder := os.Getenv(Variable)
	if folder == "" {
		caches, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: set %s to a folder", err, Variable)
		}
		folder = filepath.Join(caches, "polite")
	}
	return filepath.Join(folder, "sites.db"), nil
}

// vet returns why no file can be made in a folder, which may not exist. It returns nil if
// one can be made. To find out, it makes one, and deletes it.
func vet(folder string) error {
	at := folder
	info, err := os.Stat(at)
	for errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) {
		at = filepath.Dir(at)
		info, err = os.Stat(at)
	}
	if errors.Is(err, syscall.ENOTDIR) {
		return vet(filepath.Dir(at))
	}
	if err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file: set %s to a folder", at, Variable)
	}
	if err == nil {
		err = probe(at)
	}
	return refusal(folder, err)
}

func probe(folder string) error {
	file, err := os.CreateTemp(folder, ".polite-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// refusal returns err, and says what to do if the user has no right to write.
func refusal(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("cannot write to %s: give your user the right, or set %s to another folder", name, Variable)
	}
	return err
}

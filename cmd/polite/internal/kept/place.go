package kept

import (
	"fmt"
	"os"
	"path/filepath"
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

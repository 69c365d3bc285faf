package cachefile

import (
	"path/filepath"

	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
)

// Pages returns the folder of kept pages, beside the file of the cache. It may not exist.
func Pages() (*pagecache.Folder, error) {
	name, err := Name()
	if err != nil {
		return nil, err
	}
	return &pagecache.Folder{Name: filepath.Join(filepath.Dir(name), "pages")}, nil
}

package kept

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/go-polite/polite/store/boltstore"
)

// Clear deletes all that is kept, also a file that is damaged, and returns the name of
// the file. It deletes nothing while another run uses the file.
func Clear() (name string, err error) {
	if name, err = Name(); err != nil {
		return "", err
	}
	if _, err = os.Stat(name); err != nil { // open would create it
		return "", cmp.Or(vet(filepath.Dir(name)), err)
	}
	if file, err := open(name); err == nil {
		file.Close()
	} else if errors.Is(err, boltstore.ErrLocked) {
		return "", explain(name, err)
	}
	if err := os.Remove(name); err != nil {
		return "", explain(name, err)
	}
	return name, renew(name)
}

// renew makes a new file. It is cleared, so that the next request to a site waits as if
// one had just been sent.
func renew(name string) error {
	file, err := open(name)
	if err == nil {
		err = cmp.Or(file.Clear(), file.Close())
	}
	return explain(name, err)
}

package cachefile

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store/boltstore"
)

// A File is the file of the cache, to be looked at.
type File struct {
	Name  string
	Bytes int64 // 0 if it does not exist
	store *boltstore.Store
}

// Look opens the file, if it exists. If it does not and could not be made, Look returns
// an error. Close the File.
func Look() (*File, error) {
	name, err := Name()
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Name: name}, vet(filepath.Dir(name))
	}
	if err != nil {
		return nil, cmp.Or(vet(filepath.Dir(name)), err)
	}
	store, err := open(name)
	return &File{Name: name, Bytes: info.Size(), store: store}, explain(name, err)
}

// Close closes the file.
func (f *File) Close() error {
	if f.store == nil {
		return nil
	}
	return f.store.Close()
}

// A Site is what is kept of a site for a crawler. Its texts are as they were found in the
// file, where anything may be.
type Site struct {
	Crawler, Origin string
	Answer          *entry.Answer  // nil if there is none
	Failure         *entry.Failure // since the answer; nil if there was none
	Age             time.Duration  // of what is kept; negative if it is not known
	Err             error          // why nothing can be read
}

// Sites yields what is kept of all sites, in the order of their crawlers. After an
// error there are no more.
func (f *File) Sites() iter.Seq2[Site, error] {
	return func(yield func(Site, error) bool) {
		if f.store == nil {
			return
		}
		for r, err := range f.store.Entries() {
			if !yield(siteOf(r), explain(f.Name, err)) {
				return
			}
		}
	}
}

func siteOf(kept boltstore.Entry) Site {
	s := Site{Age: kept.Age}
	s.Crawler, s.Origin = entry.Parts(kept.Key)
	r, err := entry.Decode(kept.Key, reach.Plain(kept.Bytes))
	if err != nil {
		s.Err = err
		return s
	}
	s.Answer, s.Failure = r.Answer, r.Failure
	return s
}

// Since returns how long ago the answer came. It is negative if that is not known.
func (s Site) Since() time.Duration {
	if s.Answer == nil || s.Age < 0 {
		return -1
	}
	return s.Age + s.Answer.Since
}

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

// Package cachefile is what the command remembers from one run to the next: what sites
// answered when they were asked for robots.txt, and when they may be asked for a page
// again.
package cachefile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/spf13/pflag"
)

// Options say what a run does with what is kept. With the zero Options it goes by it.
type Options struct {
	None    bool // read nothing, and keep nothing
	Anew    bool // ask each site, and keep what it answers
	InBreak bool // with Anew: while a site is in a long break, go by its last answer

	// Open reports whether the site of a URL may be at a private address. What private sites
	// answered to others is not gone by where it is false. If nil, each may.
	Open func(*url.URL) bool

	// Waits is told how long a request waits because of what is kept. It may be nil.
	Waits func(time.Duration)

	// Asks is told how long polite waits for the end of a break before it asks a site
	// for robots.txt. It is also told that a request waits for this. It may be nil.
	Asks func(origin string, wait time.Duration)
}

// Flag defines --no-cache.
func (o *Options) Flag(flags *pflag.FlagSet) {
	flags.BoolVar(&o.None, "no-cache", false, "do not use the cache")
}

// Open returns the Cache for a run. When the run is over, call end. If nothing can be
// kept, Open and end tell why, and the run goes on without.
func Open(ctx context.Context, o Options, tell func(error)) (cache *polite.Cache, end func()) {
	if o.None {
		return new(polite.Cache), func() {}
	}
	name, file, err := create()
	if _, ok := errors.AsType[busy](err); ok {
		err = fmt.Errorf("%w; a site that both ask gets more requests than it asks for", err)
	}
	if err != nil {
		tell(fmt.Errorf("goes on without the cache: %w", err))
		return new(polite.Cache), func() {}
	}
	var failed trouble
	watched := &watched{Store: reach.Store{Store: file, Open: o.Open}, trouble: &failed}
	turns := turns{file, o.Waits, o.Asks, &failed}
	cache = &polite.Cache{Store: watched, Turns: turns}
	if o.Anew {
		anew := anew{Store: watched}
		if o.InBreak {
			anew.inBreak = turns.inBreak
		}
		cache.Store = anew
	}
	return cache, func() {
		watched.settle(ctx)
		if err := cmp.Or(file.Close(), failed.first()); err != nil {
			tell(fmt.Errorf("not all that sites answered is in the cache: %w", explain(name, err)))
		}
	}
}

const (
	// patience is how long a run waits for another one that has the file.
	patience = time.Second

	// mostBytes is about how large the file may become.
	mostBytes = 256 << 20
)

// create opens the file of the cache, which other runs may use at the same time. If it does
// not exist, create makes it.
func create() (name string, file *shared, err error) {
	if name, err = Name(); err != nil {
		return "", nil, err
	}
	if err = os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", nil, cmp.Or(vet(filepath.Dir(name)), err)
	}
	file, err = share(name, options())
	return name, file, explain(name, err)
}

func options() boltstore.Options { return boltstore.Options{Wait: patience, MaxBytes: mostBytes} }

// open opens the file for this run alone.
func open(name string) (*boltstore.Store, error) { return boltstore.Open(name, options()) }

// A busy is the error of a file that another run is using.
type busy string

func (b busy) Error() string { return "another run of polite is using " + string(b) }

// advice turns what package boltstore advises into what the user can do.
var advice = strings.NewReplacer(
	"name another file", "set "+Variable+" to another folder",
	"name a file in it", "set "+Variable+" to another folder",
)

// explain says what an error of package boltstore means to who uses the command.
func explain(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, boltstore.ErrLocked):
		return busy(name)
	case errors.Is(err, boltstore.ErrDamaged):
		return fmt.Errorf("%s is damaged: \"polite cache clear\" begins a new one", name)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		if _, err := os.Stat(name); err != nil {
			name = filepath.Dir(name)
		}
		return refusal(name, err)
	default:
		text, _, _ := strings.Cut(err.Error(), "\n") // of several, the first
		return errors.New(advice.Replace(strings.TrimPrefix(text, "boltstore: ")))
	}
}

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

// isAnswer reports whether an entry has an answer of the site.
func isAnswer(key string, b []byte) bool {
	e, err := entry.Decode(key, b)
	return err == nil && e.Answer != nil
}

// Pages returns the folder of kept pages, beside the file of the cache. It may not exist.
func Pages() (*pagecache.Folder, error) {
	name, err := Name()
	if err != nil {
		return nil, err
	}
	return &pagecache.Folder{Name: filepath.Join(filepath.Dir(name), "pages")}, nil
}

// Pages returns the folder of kept pages for a run, or nil if it keeps none. The first error of the folder is told.
func (o Options) Pages(tell func(error)) *pagecache.Folder {
	folder, err := Pages()
	if o.None || err != nil {
		return nil
	}
	var once sync.Once
	folder.Failed = func(err error) {
		once.Do(func() { tell(fmt.Errorf("not all pages are in the cache: %w", err)) })
	}
	return folder
}

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
	file, err := open(name)
	if err == nil { // a new file is cleared, so that the next request to a site waits as if one had just been sent
		err = cmp.Or(file.Clear(), file.Close())
	}
	return name, explain(name, err)
}

package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrLocked is the error of [Open] if another process has the file open.
var ErrLocked = errors.New("another process has the file open")

// ErrDamaged is the error if the file is no file of this package, or if it is damaged.
// To go on, delete it.
var ErrDamaged = errors.New("the file is damaged, or no file of boltstore")

// A disk is the file. What damage makes of it is an error, and never a panic.
type disk struct {
	db    *bbolt.DB
	begin sync.Mutex  // held while a transaction begins
	stuck atomic.Bool // bbolt has panicked, and may never release its locks
	spent atomic.Bool // nothing can be written any more
}

// openDisk opens the file at path, or creates it.
func openDisk(path string, wait time.Duration) (*disk, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("boltstore: %s is a folder: name a file in it", path)
	}
	d := &disk{}
	var file *os.File
	err := guard(func() (err error) {
		d.db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			Timeout:      max(wait, time.Nanosecond), // zero would wait for ever
			FreelistType: bbolt.FreelistMapType,
			NoStatistics: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				opened, err := os.OpenFile(name, flag, mode)
				file = opened
				return opened, err
			},
		})
		return err
	})
	if err == nil {
		err = d.whole(file)
	}
	if err != nil {
		d.close()
		if file != nil {
			file.Close()
		}
		return nil, explain(path, err)
	}
	return d, nil
}

// whole tells whether the file is as long as it says itself. To read what it lacks would
// end the process.
func (d *disk) whole(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return d.view(func(tx *bbolt.Tx) error {
		if tx.Size() > info.Size() {
			return fmt.Errorf("%w: it is cut short", ErrDamaged)
		}
		return nil
	})
}

// explain says what to do about an error of Open.
func explain(path string, err error) error {
	advice := ""
	switch {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("boltstore: %s: %w: close it there, or name another file", path, ErrLocked)
	case errors.Is(err, fs.ErrNotExist):
		advice = "create the folder first"
	case errors.Is(err, fs.ErrPermission):
		advice = "allow this user to read and write it, or name another file"
	case errors.Is(err, syscall.ENOSPC):
		advice = "the disk is full: free some space"
	case errors.Is(err, errLater):
		advice = "use that version, or name another file"
	default:
		if !errors.Is(err, ErrDamaged) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		advice = "delete it, or name another file"
	}
	return fmt.Errorf("boltstore: %s: %w: %s", path, err, advice)
}

// errLater is the error if the format of the file is one that this package cannot know.
var errLater = errors.New("a later version of polite wrote the file")

// view reads the file.
func (d *disk) view(do func(*bbolt.Tx) error) error {
	return guard(func() error {
		tx, err := d.start(false)
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return do(tx)
	})
}

// update writes to the file: all that do writes, or nothing. When it returns, the disk
// has it. After a panic nothing more is written: the file is damaged.
func (d *disk) update(do func(*bbolt.Tx) error) error {
	if d.spent.Load() {
		return ErrDamaged
	}
	return guard(func() error {
		tx, err := d.start(true)
		if err != nil {
			return err
		}
		sound := false
		defer func() {
			if !sound {
				d.spent.Store(true)
				tx.Rollback()
			}
		}()
		if err := do(tx); err != nil {
			sound = true
			tx.Rollback()
			return err
		}
		err = tx.Commit()
		sound = true
		return err
	})
}

// start begins a transaction. If bbolt panics there, its locks stay taken, so that
// nobody may call it again.
func (d *disk) start(writable bool) (*bbolt.Tx, error) {
	if writable {
		return d.starting(true)
	}
	d.begin.Lock()
	defer d.begin.Unlock()
	return d.starting(false)
}

func (d *disk) starting(writable bool) (*bbolt.Tx, error) {
	if d.stuck.Load() {
		return nil, ErrDamaged
	}
	sound := false
	defer func() { d.stuck.CompareAndSwap(false, !sound) }()
	tx, err := d.db.Begin(writable)
	sound = true
	return tx, err
}

func (d *disk) close() error {
	if d.db == nil || d.stuck.Load() {
		return nil
	}
	return guard(d.db.Close)
}

// guard makes an error of a panic, and of a page that cannot be read.
func guard(do func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return do()
}

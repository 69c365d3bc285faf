package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A disk is the file. What damage makes of it is an error, and never a panic.
type disk struct {
	db    *bbolt.DB
	begin sync.Mutex  // held while bbolt begins to read
	write sync.Mutex  // held while it writes
	stuck atomic.Bool // bbolt has panicked, and holds locks that it never releases
	spent atomic.Bool // a write has found damage: nothing is written any more
}

// openDisk opens the file at path, or creates it.
func openDisk(path string, wait time.Duration) (*disk, error) {
	until := time.Now().Add(wait)
	isNew, err := check(path, wait)
	if err != nil {
		return nil, err
	}
	db, _, err := openBolt(path, time.Until(until), false)
	if isNew && err != nil {
		undo(path)
	} else if isNew {
		syncFolder(filepath.Dir(path))
	}
	return &disk{db: db}, err
}

// check tells whether the file is new, and returns an error if it is no file of ours. It
// holds the lock of a reader, so that no other process writes meanwhile.
func check(path string, wait time.Duration) (isNew bool, err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, errFolder
	case !info.Mode().IsRegular():
		return false, errNoFile
	case info.Size() == 0:
		return true, nil
	}
	db, file, err := openBolt(path, wait, true)
	if err != nil {
		return false, err
	}
	defer db.Close()
	if info, err = file.Stat(); err != nil {
		return false, err
	}
	return false, inspect(file, info.Size())
}

// openBolt opens a database. To read alone, it does not read more than the first pages.
func openBolt(path string, wait time.Duration, toRead bool) (db *bbolt.DB, file *os.File, err error) {
	err = guard(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{
			ReadOnly:     toRead,
			Timeout:      max(wait, time.Nanosecond), // zero would wait for ever
			PageSize:     pageSize,
			FreelistType: bbolt.FreelistMapType,
			NoStatistics: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
				file, err = os.OpenFile(name, flag, mode)
				return file, err
			},
		})
		return err
	})
	if err != nil && file != nil {
		file.Close() // after a panic, bbolt does not
	}
	return db, file, ofOpen(err)
}

// undo empties a new file that could not be written whole, so that it is new again.
func undo(path string) {
	if info, err := os.Stat(path); err == nil && info.Size() < 4*pageSize {
		os.Truncate(path, 0)
	}
}

// syncFolder keeps a new file from being lost in a power cut. Not every system can.
func syncFolder(path string) {
	if folder, err := os.Open(path); err == nil {
		folder.Sync()
		folder.Close()
	}
}

// view reads the file.
func (d *disk) view(do func(*bbolt.Tx) error) error {
	return guard(func() error {
		tx, err := d.reader()
		if err != nil {
			return err
		}
		defer tx.Rollback()
		return do(tx)
	})
}

func (d *disk) reader() (*bbolt.Tx, error) {
	d.begin.Lock()
	defer d.begin.Unlock()
	return d.start(false)
}

// update writes to the file: all that do writes, or nothing. When it returns, the disk
// has it. After a panic nothing more is written.
func (d *disk) update(do func(*bbolt.Tx) error) error {
	d.write.Lock()
	defer d.write.Unlock()
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
				d.stuck.Store(true)
				tx.Rollback()
				d.stuck.Store(false)
			}
		}()
		if err = do(tx); err == nil {
			err = tx.Commit()
		} else {
			tx.Rollback()
		}
		sound = true
		return err
	})
}

// start begins a transaction. If bbolt panics there, nobody may call it again: its locks
// stay taken.
func (d *disk) start(writable bool) (*bbolt.Tx, error) {
	if d.stuck.Load() {
		return nil, ErrDamaged
	}
	sound := false
	defer func() {
		if !sound {
			d.stuck.Store(true)
		}
	}()
	tx, err := d.db.Begin(writable)
	if sound = true; errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		err = errClosed
	}
	return tx, err
}

func (d *disk) close() error {
	if d.stuck.Load() {
		return ErrDamaged
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

package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// A disk is the file. Damage makes its methods return an error: none panics, or waits for
// ever.
type disk struct {
	db    *bbolt.DB
	file  *os.File      // that db has open
	stuck chan struct{} // closed when bbolt has panicked with locks that it never releases
	once  sync.Once     // for stuck

	write  sync.Mutex // taken while a transaction writes
	broken error      // why nothing is written any more
}

// openDisk opens the file at path, or creates it.
func openDisk(path string, wait time.Duration) (*disk, error) {
	until := time.Now().Add(wait)
	isNew, err := check(path, wait)
	if err != nil {
		return nil, err
	}
	d, err := openBolt(path, time.Until(until), false)
	if isNew && err == nil {
		syncFolder(filepath.Dir(path))
	} else if isNew && !errors.Is(err, ErrLocked) {
		undo(path)
	}
	return d, err
}

// check tells whether the file is new, and returns an error if it is no file of ours. It
// has the lock of a reader, so that no other process writes meanwhile.
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
	d, err := openBolt(path, wait, true)
	if err != nil {
		return false, err
	}
	defer d.close()
	if info, err = d.file.Stat(); err != nil {
		return false, err
	}
	m, err := view(d, func(tx *bbolt.Tx) (meta, error) { return metaOf(tx, d.file, info.Size()) })
	if err != nil {
		return false, err
	}
	return false, inspect(d.file, m)
}

// openBolt opens a database. To read alone, it does not read more than the first pages.
func openBolt(path string, wait time.Duration, toRead bool) (d *disk, err error) {
	d = &disk{stuck: make(chan struct{})}
	d.db, err = guard(func() (*bbolt.DB, error) {
		return bbolt.Open(path, 0o600, &bbolt.Options{
			ReadOnly:     toRead,
			Timeout:      max(wait, time.Nanosecond), // zero would wait for ever
			PageSize:     pageSize,
			FreelistType: bbolt.FreelistMapType,
			NoStatistics: true,
			OpenFile: func(name string, flag int, mode os.FileMode) (_ *os.File, err error) {
				d.file, err = os.OpenFile(name, flag, mode)
				return d.file, err
			},
		})
	})
	if err != nil && d.file != nil {
		d.file.Close() // after a panic, bbolt does not
	}
	return d, ofOpen(err)
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

// view returns what do reads in the file.
func view[T any](d *disk, do func(*bbolt.Tx) (T, error)) (T, error) {
	return apart(d, func() (found T, err error) {
		tx, err := d.start(false)
		if err != nil {
			return found, err
		}
		defer d.leave(tx)
		return do(tx)
	})
}

// update writes to the file: all that do writes, or nothing. When it returns, the disk
// has it. Once it has met damage, nothing more is written: bbolt's own memory may be
// wrong.
func (d *disk) update(do func(*bbolt.Tx) error) error {
	d.write.Lock()
	defer d.write.Unlock()
	if d.broken != nil {
		return d.broken
	}
	_, err := apart(d, func() (none struct{}, err error) {
		tx, err := d.start(true)
		if err != nil {
			return none, err
		}
		defer d.leave(tx) // after Commit, this does nothing
		if err := do(tx); err != nil {
			return none, err
		}
		return none, tx.Commit()
	})
	if errors.Is(err, ErrDamaged) {
		d.broken = err
	}
	return err
}

func (d *disk) start(writable bool) (tx *bbolt.Tx, err error) {
	d.locking(func() { tx, err = d.db.Begin(writable) })
	if errors.Is(err, bolterrors.ErrDatabaseNotOpen) {
		err = errClosed
	}
	return tx, err
}

// leave ends a transaction that has written nothing.
func (d *disk) leave(tx *bbolt.Tx) { d.locking(func() { tx.Rollback() }) }

func (d *disk) close() error {
	_, err := apart(d, func() (struct{}, error) { return struct{}{}, d.db.Close() })
	d.file.Close() // if it is stuck, bbolt does not
	return err
}

// locking calls do, which takes or releases locks of bbolt. If do panics, they may stay
// taken.
func (d *disk) locking(do func()) {
	sound := false
	defer func() {
		if !sound {
			d.once.Do(func() { close(d.stuck) })
		}
	}()
	do()
	sound = true
}

// apart calls do in a goroutine of its own. If do waits for a lock that is never released,
// apart returns, and the goroutine stays.
func apart[T any](d *disk, do func() (T, error)) (found T, err error) {
	select {
	case <-d.stuck:
		return found, ErrDamaged
	default:
	}
	type result struct {
		found T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		found, err := guard(do)
		done <- result{found, err}
	}()
	select {
	case r := <-done:
		return r.found, r.err
	case <-d.stuck:
		return found, ErrDamaged
	}
}

// guard makes an error of a panic, and of a page that cannot be read.
func guard[T any](do func() (T, error)) (found T, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, p)
		}
	}()
	return do()
}

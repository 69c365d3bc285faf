package boltstore

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"go.etcd.io/bbolt"
)

// bbolt trusts the pages of a file. Pages in a circle overflow its stack, and lengths that
// are wrong make it ask for all memory. Nothing recovers from that. If a page is free and
// in use, bbolt makes such pages itself. So the pages are checked first. Their layout is
// that of the types Page and Meta in bbolt.

const (
	pageSize   = 4096
	headerSize = 16 // of a page: its number, kind, count of elements, count of pages that follow
	elemSize   = 16 // of a branch, a leaf: where its key is, how long, its page or value

	kindBranch = 1
	kindLeaf   = 2
	kindFree   = 16

	// mostPages is how many pages of the tree are checked, from its root down. A larger
	// file is checked in part, so that opening it stays fast.
	mostPages = 1024
)

// A meta is what the file says about itself.
type meta struct {
	root, free uint64 // pages: the root of the tree, and the list of those that are free
	pages      uint64 // that are in use, or were
}

// metaOf returns the newer one of the file's two metas. bbolt has checked it.
func metaOf(tx *bbolt.Tx, file io.ReaderAt, size int64) (m meta, err error) {
	b := make([]byte, headerSize+elemSize+24)
	switch _, err := file.ReadAt(b, int64(tx.ID()%2)*pageSize); {
	case err != nil:
		return m, err
	case tx.DB().Info().PageSize != pageSize:
		return m, fmt.Errorf("%w: another program wrote it", ErrDamaged)
	case tx.Size() > size:
		return m, fmt.Errorf("%w: it is cut short", ErrDamaged)
	}
	return meta{root: u64(b[32:]), free: u64(b[48:]), pages: uint64(tx.Size()) / pageSize}, nil
}

// inspect returns an error if the pages of a file are not as bbolt writes them.
func inspect(file io.ReaderAt, m meta) error {
	t := &tree{file: file, seen: make([]bool, m.pages)}
	if err := t.checkFree(m.free); err != nil {
		return err
	}
	left := mostPages
	for level := []uint64{m.root}; len(level) > 0 && left > 0; {
		level = level[:min(len(level), left)]
		left -= len(level)
		slices.Sort(level) // as the file has them
		var next []uint64
		for _, id := range level {
			p, err := t.page(id)
			if err == nil {
				next, err = p.below(next)
			}
			if err != nil {
				return err
			}
		}
		level = next
	}
	return nil
}

func u16(b []byte) uint64 { return uint64(binary.NativeEndian.Uint16(b)) }
func u32(b []byte) uint64 { return uint64(binary.NativeEndian.Uint32(b)) }
func u64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

// A tree checks that each page is there once: in the tree, or in the list of those that
// are free.
type tree struct {
	file io.ReaderAt
	seen []bool
}

// take notes that pages are there.
func (t *tree) take(from, n uint64) error {
	pages := uint64(len(t.seen))
	if from < 2 || from > pages || n > pages-from {
		return damaged(from)
	}
	for id := from; id < from+n; id++ {
		if t.seen[id] {
			return damaged(id)
		}
		t.seen[id] = true
	}
	return nil
}

func damaged(id uint64) error { return fmt.Errorf("%w: page %d", ErrDamaged, id) }

// A page is one or several that follow each other.
type page struct {
	id, kind, count uint64
	size            uint64
	b               []byte // its first bytes, with all elements
}

// page reads and takes a page.
func (t *tree) page(id uint64) (page, error) {
	if err := t.take(id, 1); err != nil {
		return page{}, err
	}
	b, err := t.read(id, pageSize)
	if err != nil {
		return page{}, err
	}
	more := u32(b[12:])
	if u64(b) != id || t.take(id+1, more) != nil {
		return page{}, damaged(id)
	}
	p := page{id: id, kind: u16(b[8:]), count: u16(b[10:]), size: (1 + more) * pageSize, b: b}
	if elems := headerSize + p.count*elemSize; pageSize < elems && elems <= p.size {
		p.b, err = t.read(id, elems)
	}
	return p, err
}

func (t *tree) read(id, n uint64) ([]byte, error) {
	b := make([]byte, n)
	_, err := t.file.ReadAt(b, int64(id)*pageSize)
	return b, err
}

// checkFree takes the pages that are free.
func (t *tree) checkFree(id uint64) error {
	p, err := t.page(id)
	if err != nil {
		return err
	}
	from := uint64(headerSize)
	if p.count == 0xFFFF { // the count itself is the first number
		p.count = u64(p.b[from:])
		from += 8
	}
	if p.kind != kindFree || p.count > (p.size-from)/8 {
		return damaged(id)
	}
	numbers, err := t.read(id, from+p.count*8)
	if err != nil {
		return err
	}
	for free := range slices.Chunk(numbers[from:], 8) {
		if t.take(u64(free), 1) != nil {
			return damaged(id)
		}
	}
	return nil
}

// below checks the elements of a page, and appends the pages that they lead to.
func (p page) below(ids []uint64) (_ []uint64, err error) {
	elems := headerSize + p.count*elemSize
	if p.kind != kindLeaf && p.kind != kindBranch || p.kind == kindBranch && p.count == 0 || elems > p.size {
		return nil, damaged(p.id)
	}
	for at := uint64(headerSize); at < elems; at += elemSize {
		e := p.b[at:]
		if p.kind == kindBranch {
			if at+u32(e)+u32(e[4:]) > p.size {
				return nil, damaged(p.id)
			}
			ids = append(ids, u64(e[8:]))
			continue
		}
		value := at + u32(e[4:]) + u32(e[8:])
		end := value + u32(e[12:])
		if end > p.size {
			return nil, damaged(p.id)
		}
		if isTree := u32(e)&1 != 0; isTree {
			if ids, err = p.root(value, end, ids); err != nil {
				return nil, err
			}
		}
	}
	return ids, nil
}

// root appends the root of the tree that a value is. A small tree is a leaf in the value
// itself.
func (p page) root(from, end uint64, ids []uint64) ([]uint64, error) {
	if end > uint64(len(p.b)) || end-from < headerSize {
		return nil, damaged(p.id)
	}
	b := p.b[from:end]
	if id := u64(b); id != 0 {
		return append(ids, id), nil
	}
	if b = b[headerSize:]; len(b) < headerSize || u16(b[8:]) != kindLeaf {
		return nil, damaged(p.id)
	}
	return page{id: p.id, kind: kindLeaf, count: u16(b[10:]), size: uint64(len(b)), b: b}.below(ids)
}

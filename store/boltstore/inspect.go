package boltstore

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

// bbolt trusts the pages of a file. One that is damaged may send it round in a circle,
// or make it ask for all memory, and nothing recovers from that. So the pages are
// checked first. Their layout is that of the types Page and Meta in bbolt.

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

// inspect returns an error if the pages of a file are not as bbolt writes them. bbolt has
// checked its first two pages.
func inspect(file io.ReaderAt, size int64) error {
	m, ok := newestMeta(file)
	if !ok {
		return fmt.Errorf("%w: another program wrote it", ErrDamaged)
	}
	if m.pages > uint64(size)/pageSize {
		return fmt.Errorf("%w: it is cut short", ErrDamaged)
	}
	t := &tree{file: file, seen: make([]bool, m.pages), left: mostPages}
	if err := t.checkFree(m.free); err != nil {
		return err
	}
	return t.check(m.root)
}

// A meta is what the file says about itself. There are two: the newer one counts, unless
// it was not written whole.
type meta struct {
	root, free uint64 // pages: the root of the tree, and the list of those that are free
	pages      uint64 // that are in use, or were
	version    uint64
}

func newestMeta(file io.ReaderAt) (meta, bool) {
	first, ok := metaAt(file, 0)
	second, ok2 := metaAt(file, pageSize)
	if !ok || ok2 && second.version > first.version {
		return second, ok2
	}
	return first, true
}

func metaAt(file io.ReaderAt, at int64) (m meta, ok bool) {
	b := make([]byte, 64)
	if _, err := file.ReadAt(b, at+headerSize); err != nil {
		return meta{}, false
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	m = meta{root: u64(b[16:]), free: u64(b[32:]), pages: u64(b[40:]), version: u64(b[48:])}
	return m, u32(b) == 0xED0CDAED && u32(b[8:]) == pageSize && u64(b[56:]) == sum.Sum64()
}

func u16(b []byte) uint64 { return uint64(binary.NativeEndian.Uint16(b)) }
func u32(b []byte) uint64 { return uint64(binary.NativeEndian.Uint32(b)) }
func u64(b []byte) uint64 { return binary.NativeEndian.Uint64(b) }

// A tree checks that each page has one place.
type tree struct {
	file io.ReaderAt
	seen []bool
	left int // pages that may still be read

	buffer [pageSize]byte // of the page that was read last
}

// take notes that pages are in their place.
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
	head            []byte // its first bytes, or more
}

// page reads the head of a page, and takes the page.
func (t *tree) page(id uint64) (page, error) {
	if err := t.take(id, 1); err != nil {
		return page{}, err
	}
	b := t.buffer[:]
	if _, err := t.file.ReadAt(b, int64(id)*pageSize); err != nil {
		return page{}, err
	}
	p := page{id: id, kind: u16(b[8:]), count: u16(b[10:]), size: (1 + u32(b[12:])) * pageSize, head: b}
	if u64(b) != id || t.take(id+1, p.size/pageSize-1) != nil {
		return page{}, damaged(id)
	}
	return p, nil
}

func (t *tree) read(id, at, n uint64) ([]byte, error) {
	b := make([]byte, n)
	_, err := t.file.ReadAt(b, int64(id*pageSize+at))
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
		p.count = u64(p.head[from:])
		from += 8
	}
	if p.kind != kindFree || p.count > (p.size-from)/8 {
		return damaged(id)
	}
	numbers, err := t.read(id, from, p.count*8)
	if err != nil {
		return err
	}
	for free := range slices.Chunk(numbers, 8) {
		if t.take(u64(free), 1) != nil {
			return damaged(id)
		}
	}
	return nil
}

// check checks the tree below a root, level by level.
func (t *tree) check(root uint64) error {
	for level := []uint64{root}; len(level) > 0 && t.left > 0; {
		level = level[:min(len(level), t.left)]
		t.left -= len(level)
		slices.Sort(level) // as the file has them
		var next []uint64
		for _, id := range level {
			p, err := t.page(id)
			if err != nil {
				return err
			}
			if next, err = t.below(p, next); err != nil {
				return err
			}
		}
		level = next
	}
	return nil
}

// below checks the elements of a page, and appends the pages that they lead to.
func (t *tree) below(p page, ids []uint64) (_ []uint64, err error) {
	elems := headerSize + p.count*elemSize
	if p.kind != kindLeaf && p.kind != kindBranch || p.kind == kindBranch && p.count == 0 || elems > p.size {
		return nil, damaged(p.id)
	}
	if elems > uint64(len(p.head)) {
		if p.head, err = t.read(p.id, 0, elems); err != nil {
			return nil, err
		}
	}
	for at := uint64(headerSize); at < elems; at += elemSize {
		if p.kind == kindBranch {
			ids, err = branch(p, at, ids)
		} else {
			ids, err = t.leaf(p, at, ids)
		}
		if err != nil {
			return nil, err
		}
	}
	return ids, nil
}

func branch(p page, at uint64, ids []uint64) ([]uint64, error) {
	e := p.head[at:]
	if at+u32(e)+u32(e[4:]) > p.size {
		return nil, damaged(p.id)
	}
	return append(ids, u64(e[8:])), nil
}

func (t *tree) leaf(p page, at uint64, ids []uint64) ([]uint64, error) {
	e := elemAt(p, at)
	if !e.fits {
		return nil, damaged(p.id)
	}
	if !e.isTree {
		return ids, nil
	}
	id, err := t.root(p, e)
	if err != nil || id == 0 {
		return ids, err
	}
	return append(ids, id), nil
}

// An elem is where the value of a leaf is.
type elem struct {
	value, size uint64
	isTree      bool // the value is the root of another tree
	fits        bool // into the page
}

func elemAt(p page, at uint64) elem {
	b := p.head[at:]
	e := elem{value: at + u32(b[4:]) + u32(b[8:]), size: u32(b[12:]), isTree: u32(b)&1 != 0}
	e.fits = e.value+e.size <= p.size
	return e
}

// root returns the page of the root of a tree, or 0: a small tree is a leaf in the value
// itself.
func (t *tree) root(p page, e elem) (uint64, error) {
	b, err := t.read(p.id, e.value, e.size)
	if err != nil || len(b) < headerSize {
		return 0, damaged(p.id)
	}
	if id := u64(b); id != 0 {
		return id, nil
	}
	if b = b[headerSize:]; len(b) < headerSize {
		return 0, damaged(p.id)
	}
	inner := page{kind: u16(b[8:]), count: u16(b[10:]), size: uint64(len(b)), head: b}
	elems := headerSize + inner.count*elemSize
	if inner.kind != kindLeaf || elems > inner.size {
		return 0, damaged(p.id)
	}
	for at := uint64(headerSize); at < elems; at += elemSize {
		if e := elemAt(inner, at); !e.fits || e.isTree {
			return 0, damaged(p.id)
		}
	}
	return 0, nil
}

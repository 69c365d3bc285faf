package told

import (
	"io"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/meter"
)

// A download counts the bytes of a page.
type download struct {
	io.Reader
	total int64 // as the site says; not positive if it does not
	read  atomic.Int64
	pace  meter.Meter
}

// Download returns a reader of page, whose progress is a part of w. Call over when page is
// read. If the site does not say the size, it is -1.
func (w *Work) Download(page io.Reader, size int64) (counted io.Reader, over func()) {
	d := &download{Reader: page, total: size}
	d.pace.Look(time.Now(), 0)
	prefix := ""
	if w.Total != 1 {
		prefix = "page: "
	}
	return d, w.Do(func(now time.Time) string { return prefix + d.text(now) })
}

func (d *download) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.read.Add(int64(n))
	return n, err
}

func (d *download) text(now time.Time) string {
	read := d.read.Load()
	d.pace.Look(now, read)
	text := size(float64(read))
	if d.total > 0 {
		text += " of " + size(float64(d.total))
	}
	return text + pace(&d.pace, d.total, func(perSecond float64) string { return size(perSecond) + "/s" })
}

package verb

import (
	"encoding/csv"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// CSVLine returns a line of CSV (RFC 4180), made printable. In a spreadsheet no cell is a
// formula: an apostrophe precedes a cell that begins as one does.
func CSVLine(cells ...string) string {
	for i, cell := range cells {
		cells[i] = printable.Text(cell)
		if strings.IndexAny(cell, "=+-@") == 0 {
			cells[i] = "'" + cells[i]
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(cells) // to memory, which does not fail
	w.Flush()
	return b.String()
}

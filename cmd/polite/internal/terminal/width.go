package terminal

import (
	"cmp"
	"io"
	"os"
)

// Width returns the number of columns of a terminal, and 0 if w is none.
func Width(w io.Writer) int {
	if !Is(w) {
		return 0
	}
	return width(w)
}

// width returns the number of columns of a terminal. It may be another one each time,
// because a user changes the size of a window.
func width(w io.Writer) int {
	const usual = 80
	file, ok := w.(*os.File)
	if !ok {
		return usual
	}
	return cmp.Or(askWidth(file), usual)
}

// Package terminal has what a terminal makes of output: colours, a line that tells
// the progress, and pages that can do it no harm.
package terminal

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Is reports whether a stream is a terminal.
func Is(stream any) (is bool) {
	ask(stream, func(fd int) { is = term.IsTerminal(fd) })
	return is
}

// usual is the width of a terminal that does not know its own.
const usual = 80

// Width returns the number of columns of a terminal, and 0 if w is none. It may be another
// one each time, because a user changes the size of a window.
func Width(w io.Writer) (columns int) {
	ask(w, func(fd int) {
		if !term.IsTerminal(fd) {
			return
		}
		columns = usual
		if known, _, err := term.GetSize(fd); err == nil && known > 0 {
			columns = known
		}
	})
	return columns
}

// ask calls question with the descriptor of a stream that is a file. Method Fd would make
// the file block.
func ask(stream any, question func(fd int)) {
	if file, ok := stream.(*os.File); ok {
		if conn, err := file.SyscallConn(); err == nil {
			conn.Control(func(fd uintptr) { question(int(fd)) }) // it fails if the file is closed
		}
	}
}

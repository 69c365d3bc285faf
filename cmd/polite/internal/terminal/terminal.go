// Package terminal has what a terminal makes of output: colours, a line that tells
// the progress, and pages that can do it no harm.
package terminal

import "os"

// Is reports whether a stream is a terminal, as far as this can be seen without
// asking the terminal itself.
func Is(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

//go:build !unix

package signals

import (
	"errors"
	"os"
)

// Supported says whether this system can let a process stand still.
const Supported = false

// Stop returns errors.ErrUnsupported.
func Stop(*os.Process) error { return errors.ErrUnsupported }

// Continue returns errors.ErrUnsupported.
func Continue(*os.Process) error { return errors.ErrUnsupported }

//go:build !linux && !darwin && !freebsd

package terminal

import "os"

// askWidth returns 0: there is no way to ask here.
func askWidth(*os.File) int { return 0 }

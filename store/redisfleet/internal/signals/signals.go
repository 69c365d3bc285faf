// Package signals lets another process stand still, as a virtual machine does that is paused.
//
//	unix.go   SIGSTOP and SIGCONT
//	other.go  systems without them
package signals

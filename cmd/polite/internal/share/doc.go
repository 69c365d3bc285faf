// Package share lets all runs of polite on a machine keep one file, and so one gap at each
// site. A file can be open in one process only. So the first run that opens it owns it, and
// serves it to the others over a socket beside it. When the owner ends, or is killed, the next
// call of any other run opens the file, and that run owns it from then on.
package share

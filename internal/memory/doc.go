// Package memory keeps what is known of origins in this process: their answers for
// robots.txt, the files, and since when each is known. It is bounded: it forgets the
// origins that are asked for least.
package memory

package main

// The groups of verbs, in the order of the help.
const (
	forPages  = "Fetch politely:"
	forFiles  = "Read and write a robots.txt:"
	forItself = "The command itself:"
)

// Polite is the command of module github.com/go-polite/polite. It fetches pages as a
// well-behaved crawler does: it asks for robots.txt first, and does not request a page
// that the site disallows. It also tells what a robots.txt says, why a page is
// disallowed, and what is wrong with the file.
//
//	polite get URL...            fetch pages
//	polite check URL...          tell whether pages are allowed, and why
//	polite lint URL|file...      tell what is wrong with a robots.txt
//	polite diff old new          tell what changes between two robots.txt
//	polite help                  list all commands
//	polite help [command]        print how to use a command
//
// Its guide is docs/command.md of package polite. It has examples, what the exit status
// means, and the fields of what the commands write for programs.
package main

import (
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/command"
)

func main() { os.Exit(command.Main()) }

package tester

import (
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
)

// openLink opens a link in the user's browser. The link is a secret: it is not among the arguments
// of any process, which other users of the machine may see. openLink returns at once; the browser may still fail. Call shut when the
// page has been opened, or is no longer needed: it removes what leads there.
func openLink(link string) (shut func(), err error) {
	argv := opener()
	if argv == nil {
		return func() {}, errors.New("there is no display, or no program that opens pages")
	}
	return openWith(link, argv, place(snaps))
}

// snaps is where the programs are that are installed as snaps, as browsers are on Ubuntu.
const snaps = "/snap/bin"

// place returns the folder for what leads to the page: "" for that of temporary files. A snap
// cannot read there, nor what is hidden, but what else is in its user's home folder.
func place(snaps string) string {
	if _, err := os.Stat(snaps); err != nil {
		return ""
	}
	home, _ := os.UserHomeDir()
	return home
}

// openWith opens a link with a program, which gets the name of a file that leads there.
func openWith(link string, argv []string, place string) (shut func(), err error) {
	folder, err := os.MkdirTemp(place, "polite-tester-") // for the user alone
	if err != nil && place != "" {
		folder, err = os.MkdirTemp("", "polite-tester-")
	}
	if err != nil {
		return func() {}, err
	}
	remove := sync.OnceFunc(func() { os.RemoveAll(folder) })
	name := filepath.Join(folder, "open.html")
	if err := os.WriteFile(name, []byte(doorway(link)), 0o600); err != nil {
		return remove, err
	}
	cmd := exec.Command(argv[0], append(argv[1:], name)...)
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return remove, err
	}
	return remove, cmd.Process.Release() // it may be the browser, and run for long
}

// doorway returns a page that leads on to a link.
func doorway(link string) string {
	return fmt.Sprintf("<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"+
		"<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>polite tester</title>\n", html.EscapeString(link))
}

// opener returns the program that opens files with the user's browser, and its first
// arguments. It is nil if there is none, or nothing to show a page on.
func opener() []string {
	switch runtime.GOOS {
	case "darwin":
		return []string{"/usr/bin/open"}
	case "windows":
		return []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	program, err := exec.LookPath("xdg-open")
	if err != nil {
		return nil
	}
	return []string{program}
}

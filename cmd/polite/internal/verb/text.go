package verb

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/printable"
)

// Shown returns an argument as it may be shown. If it is a URL, its password is
// hidden. If it only resembles one, Shown hides too much rather than too little.
func Shown(arg string) string {
	start, end := 0, len(arg) // of the part that may have a password
	if u, err := url.Parse(arg); err == nil && u.Host != "" {
		if _, secret := u.User.Password(); !secret {
			return arg
		}
		start = strings.Index(arg, "//")
		if i := strings.IndexAny(arg[start+2:], "/?#"); i >= 0 {
			end = start + 2 + i
		}
	} else if colon := strings.Index(arg, ":/"); colon >= 0 && !strings.ContainsAny(arg[:colon], "/@") {
		start = colon + 1
	}
	for start < end && arg[start] == '/' {
		start++
	}
	part := arg[start:end]
	user, rest, _ := strings.Cut(part, ":")
	at := strings.LastIndexByte(rest, '@')
	if at < 0 || strings.Contains(user, "/") || beginsWithPort(rest) {
		return arg
	}
	return arg[:start] + user + ":xxxxx" + rest[at:] + arg[end:]
}

// beginsWithPort reports whether s is what follows a host: digits, and a path.
func beginsWithPort(s string) bool {
	port, _, ok := strings.Cut(s, "/")
	return ok && port != "" && strings.Trim(port, "0123456789") == ""
}

// Beginning returns the name of a file for the Beginning of a line. There, "-" may be an
// option to the next command of a pipe, and "::" a command to a CI system.
func Beginning(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(strings.TrimLeft(name, " "), ":") {
		name = "./" + name // which is the same
	}
	return printable.Text(name)
}

// Name returns the name of a crawler as it is told: the beginning of one that is longer than any crawler's.
func Name(name string) string { return printable.Excerpt(name, longestName) }

// Cut returns the beginning of a text that is longer than any rule or statement that is meant. A file may have
// one that decides on each of many URLs.
func Cut(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "\uFFFD") + "..."
}

// Room is how many octets of a file may still be told again and again, as names are: a group may have any number of
// agents and of records. What is told then grows no faster than the file.
type Room int

const (
	longestName = 100
	longestText = 1000
	plainOctets = 100_000 // that are told in full of any file
	fewNames    = 1       // names that are told of each list after that
)

// RoomFor returns the room for names of a file of so many octets.
func RoomFor(size int) Room { return Room(size + plainOctets) }

// Names returns those of names that are told, and how many others there are.
func (r *Room) Names(names []string) (told []string, more int) {
	if *r < 0 {
		more = max(0, len(names)-fewNames)
	}
	for _, name := range names[:len(names)-more] {
		name = Name(name)
		told, *r = append(told, name), *r-Room(len(`"",`)+len(name))
	}
	return told, more
}

// Count tells how many there are of what.
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// CSVLine returns a line of CSV (RFC 4180), made printable. In a spreadsheet no cell is a
// formula: an apostrophe precedes a cell that begins as one does.
func CSVLine(cells ...string) string {
	for i, cell := range cells {
		cells[i] = printable.Text(cell)
		if strings.IndexAny(cell, "=+-@") == 0 {
			cells[i] = "'" + cells[i]
		}
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	w.Write(cells) // to memory, which does not fail
	w.Flush()
	return b.String()
}

// JSONLine returns v as a line of JSON, made printable.
func JSONLine(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "&" is common in URLs
	e.Encode(v)
	return printable.JSON(b.String())
}

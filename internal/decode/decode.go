// Package decode reads texts from the web, whatever their encoding is.
package decode

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// These match the declaration of XML at the beginning of a text, and the encoding in it.
var (
	declaration = regexp.MustCompile(`^\x{FEFF}?\s*<\?xml\s[^>]*\?>`)
	encodingOf  = regexp.MustCompile(`\sencoding\s*=\s*["']([^"']+)["']`)
)

// Declaration returns the size of the declaration of XML that a text begins with, 0 if there is none, and the
// encoding that it names.
func Declaration(start []byte) (size int, label string) {
	found := declaration.Find(start)
	if named := encodingOf.FindSubmatch(found); named != nil {
		label = string(named[1])
	}
	return len(found), label
}

// looked is how much of a text is looked at: charset looks no further.
const looked = 1000

// Text returns a text that was sent with a Content-Type in UTF-8. If nothing names its encoding, guessed is the
// name, unless all encodings read the text alike.
func Text(raw []byte, contentType string) (text []byte, guessed string) {
	head := raw[:min(len(raw), looked)]
	in, _, named := charset.DetermineEncoding(head, contentType)
	if _, label := Declaration(head); label != "" && !named {
		if declared, _ := charset.Lookup(label); declared != nil {
			in, named = declared, true
		}
	}
	if high := bytes.IndexFunc(raw, isHigh); !named && high >= 0 && !namesOne(head, contentType) {
		sample := raw[high:min(len(raw), high+looked)]
		if len(sample) < looked {
			sample = append(slices.Clip(sample), '.') // the last character counts, too
		}
		in, guessed, _ = charset.DetermineEncoding(sample, "")
	}
	if guessed == "utf-8" && !strings.HasPrefix(contentType, "text/") {
		guessed = "" // what JSON and XML are in if nothing names another
	}
	text, _ = in.NewDecoder().Bytes(raw) // the encodings of the web have no errors
	return text, guessed
}

func isHigh(r rune) bool { return r >= utf8.RuneSelf }

// namesOne reports whether a <meta> in head names an encoding: it is the same then, whatever the text is like.
func namesOne(head []byte, contentType string) bool {
	ascii := bytes.Map(func(r rune) rune { return min(r, utf8.RuneSelf-1) }, head)
	_, one, _ := charset.DetermineEncoding(append(ascii, "\u00e9."...), contentType)
	_, other, _ := charset.DetermineEncoding(append(ascii, "\xe9."...), contentType)
	return one == other
}

// Package printable makes the text of others safe to show: in a line of a terminal, a log
// or an error, as a URL, and in JSON.
//
// A site, a file, a header, a link or an argument may have characters that act where they
// are shown: they move the cursor, reverse the text after them, end the line, or hide.
// This package escapes characters that act:
//
//   - what [unicode.IsPrint] does not take for printable: control characters, with which
//     ANSI and OSC sequences begin; separators of lines and paragraphs; white space but
//     the space of ASCII; marks, embeddings, overrides and isolates of direction;
//     characters of no width; tags; characters for private use, or not assigned
//   - letters, marks and symbols that show nothing: fillers, variation selectors,
//     the grapheme joiner, the blank of braille
//   - octets that are not UTF-8
//   - the bracket of "##[", "##vso[" and their like, which the logs of CI systems
//     take for the beginning of a command wherever it stands in a line
//
// All other characters stay as they are, in every script. A backslash stays too, so that
// escaped text is not escaped again. Each function says how it escapes. All take time in
// proportion to their text, and none allocates if nothing acts.
//
// The caller has to care for the beginning of a line: "-" there may be an option to the
// next command of a pipe, "::" a command to the log of a CI system.
package printable

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s for one line of text. It escapes as Go's string literals do: "\n",
// "\x1b", "\u202e", "\U000e0041"; an octet that is not UTF-8 as "\xff", a bracket
// as "\x5b".
func Text(s string) string { return escape(s, shows, appendLiteral) }

// Excerpt returns the beginning of s, made printable as by Text, in most octets at most: 1 or more. If there is
// more, "..." follows it.
func Excerpt(s string, most int) string {
	shown := Text(s[:min(len(s), 4*most)])
	if len(shown) <= most { // no character becomes shorter
		return shown
	}
	end := most
	for end > 0 && !utf8.RuneStart(shown[end]) {
		end--
	}
	return shown[:end] + "..."
}

// Lines is Text for text of several lines: line feeds, tabs and all spaces stay.
func Lines(s string) string {
	return escape(s, func(r rune) bool { return r == '\n' || r == '\t' || unicode.Is(unicode.Zs, r) || shows(r) }, appendLiteral)
}

// URL returns s, which is a URL or a part of one, in one word: it percent-encodes spaces
// and characters that act. A URL stays a URL, for the same page.
func URL(s string) string {
	return escape(s, func(r rune) bool { return r != ' ' && shows(r) }, appendPercent)
}

// JSON returns s, which is JSON, as the same value: "\u202e", "\udb40\udc41". The
// line feeds between its parts stay.
func JSON(s string) string {
	return escape(s, func(r rune) bool { return r == '\n' || shows(r) }, appendJSON)
}

// Error returns an error that wraps err, with its text escaped as Text does. If the text
// has nothing to escape, it returns err itself. If err is nil, it returns nil.
func Error(err error) error {
	if err == nil {
		return nil
	}
	text := Text(err.Error())
	if text == err.Error() {
		return err
	}
	return &escaped{text, err}
}

type escaped struct {
	text string
	err  error
}

func (e *escaped) Error() string { return e.text }

func (e *escaped) Unwrap() error { return e.err }

// escape returns s, and escapes each character for which stays returns false. As appends
// the escaped form of a character; it gets the octets and the character.
func escape(s string, stays func(rune) bool, as func(dst []byte, octets string, r rune) []byte) string {
	var b []byte
	done := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		invalid := r == utf8.RuneError && size == 1
		if invalid || !stays(r) || r == '[' && beginsCommand(s[:i]) {
			b = append(b, s[done:i]...)
			b = as(b, s[i:i+size], r)
			done = i + size
		}
		i += size
	}
	if done == 0 {
		return s
	}
	return string(append(b, s[done:]...))
}

// shows reports whether r shows itself, and does nothing else.
func shows(r rune) bool {
	if r < utf8.RuneSelf {
		return ' ' <= r && r <= '~'
	}
	switch r {
	case '\u2800', '\U00013441', '\U00013442', '\U00016FE4', '\U0001D159':
		return false // symbols and letters that are blank
	}
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// beginsCommand reports whether a bracket after s makes the beginning of a command
// in the log of a CI system.
func beginsCommand(s string) bool {
	return strings.HasSuffix(strings.TrimRightFunc(s, isLetter), "##")
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }

func appendLiteral(dst []byte, octets string, r rune) []byte {
	if r == utf8.RuneError || r == '[' {
		return fmt.Appendf(dst, `\x%02x`, octets[0])
	}
	literal := strconv.QuoteRuneToASCII(r)
	return append(dst, literal[1:len(literal)-1]...)
}

func appendPercent(dst []byte, octets string, _ rune) []byte {
	for _, c := range []byte(octets) {
		dst = fmt.Appendf(dst, "%%%02X", c)
	}
	return dst
}

func appendJSON(dst []byte, _ string, r rune) []byte {
	if r > 0xFFFF {
		high, low := utf16.EncodeRune(r)
		return fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// Duration returns d as exact as people read it.
func Duration(d time.Duration) time.Duration {
	switch {
	case d >= 10*time.Second:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	default:
		return d.Round(time.Millisecond)
	}
}

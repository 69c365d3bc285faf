package syntax

import (
	"bytes"
	"strings"
)

// ClassifyUsage returns the kind of a record that says what may be done with pages, by
// its key: ContentSignal or ContentUsage. It returns Other for every other key.
func ClassifyUsage(key []byte) Kind {
	switch {
	case len(key) == len(contentSignal) && bytes.EqualFold(key, []byte(contentSignal)):
		return ContentSignal
	case len(key) == len(contentUsage) && bytes.EqualFold(key, []byte(contentUsage)):
		return ContentUsage
	}
	return Other
}

const contentSignal, contentUsage = "content-signal", "content-usage"

// MeantUsage returns the kind of a record that is meant by a key, if the key is spelled
// wrong in a way that cannot be mistaken: "content-signals", "content_usage". It returns
// Other for every other key. It returns the kind of a key that is spelled right, too.
func MeantUsage(key []byte) Kind {
	var letters [len("contentsignals")]byte
	n := 0
	for _, c := range key {
		switch {
		case c == '-' || c == '_' || c == ' ':
		case n == len(letters):
			return Other
		default:
			letters[n] = Lower(c)
			n++
		}
	}
	switch string(bytes.TrimSuffix(letters[:n], []byte("s"))) {
	case "contentsignal":
		return ContentSignal
	case "contentusage":
		return ContentUsage
	}
	return Other
}

// SplitMeantUsage splits a line whose key MeantUsage knows, and that has no colon. If the
// line is another, kind is Other.
func SplitMeantUsage(line []byte) (kind Kind, key, value []byte) {
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	line = Trim(line)
	blank := bytes.IndexAny(line, " \t")
	if blank < 0 {
		return Other, nil, nil
	}
	return MeantUsage(line[:blank]), line[:blank], Trim(line[blank:])
}

// SplitUsage splits the value of a content-usage record into its path, which may be
// empty, and its statement (draft-ietf-aipref-attach-05 §3.2). If there is no
// statement, ok is false.
func SplitUsage(value string) (path, statement string, ok bool) {
	if strings.HasPrefix(value, "/") {
		end := strings.IndexAny(value, " \t")
		if end < 0 {
			return value, "", false
		}
		path, value = value[:end], strings.TrimLeft(value[end:], " \t")
	}
	return path, value, value != ""
}

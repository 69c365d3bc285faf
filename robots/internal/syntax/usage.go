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

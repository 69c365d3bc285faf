package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// A template is how placeholders are written that a program or an author has to fill in.
type template struct {
	in, not   trait
	open, end string
	is        func(name []byte) bool
}

var templates = []template{
	{hasBrace, 0, "{{", "}}", isAnyName}, {hasBrace, 0, "{%", "%}", isAnyName}, {hasBrace, 0, "${", "}", isAnyName},
	{hasBrace, 0, "<%", "%>", isAnyName}, {hasBrace, 0, "<?", "?>", isAnyName}, {hasBrace, 0, "<", ">", isWords},
	{hasUnderscore, 0, "__", "__", isConstant}, {hasPercent, 0, "%", "%", isVariable},
	{hasBracket, 0, "[YOUR", "]", isShouted},
	{hasBrace, hasStar, "{", "}", isWord}, // "*/{link}" is for what crawlers take from a template
}

// samples are what guides write for the first folder of a path, and what is written to be filled in later.
var samples = []string{"path/to", "your-folder", "your-directory", "your-path", "TODO", "FIXME"}

// placeholder returns the first placeholder in a value that has some traits, or nil.
func placeholder(value []byte, has trait) []byte {
	start := bytes.TrimPrefix(value, []byte("/"))
	for _, sample := range samples {
		if rest, ok := bytes.CutPrefix(start, []byte(sample)); ok && (len(rest) == 0 || !isStrictOrDigit(rest[0])) {
			return start[:len(sample)]
		}
	}
	if has&(hasBrace|hasBracket|hasPercent|hasUnderscore) == 0 {
		return nil
	}
	for _, t := range templates {
		if has&t.in == 0 || has&t.not != 0 {
			continue
		}
		if at := t.find(value); at != nil {
			return at
		}
	}
	if has&hasUnderscore == 0 {
		return nil
	}
	return yours(value)
}

// longestName is the size of the longest name that is looked for.
const longestName = 60

// find returns the first placeholder of a template.
func (t template) find(value []byte) []byte {
	for {
		at := bytes.Index(value, []byte(t.open))
		if at < 0 {
			return nil
		}
		value = value[at:]
		size := bytes.Index(value[len(t.open):min(len(value), len(t.open)+longestName+len(t.end))], []byte(t.end))
		if whole := len(t.open) + size + len(t.end); size > 0 && t.is(value[len(t.open):][:size]) && !isOctets(value, whole-1) {
			return value[:whole]
		}
		value = value[len(t.open):]
	}
}

// isOctets reports whether a value begins with a percent-encoded octet, and has another one at an index.
func isOctets(value []byte, at int) bool {
	return syntax.IsTriplet(value, 0) && syntax.IsTriplet(value, at)
}

// isAnyName reports whether a program may fill in a name. Some sites disallow what crawlers take from their templates:
// with a "*" inside, it is such a rule.
func isAnyName(name []byte) bool { return bytes.IndexByte(name, '*') < 0 }

func isWord(name []byte) bool { return hasOnly(name, syntax.IsStrictTokenByte) }

func isWords(name []byte) bool {
	return hasOnly(name, func(c byte) bool { return isStrictOrDigit(c) || c == ' ' })
}

func isConstant(name []byte) bool {
	return isUpper(name[0]) && hasOnly(name, func(c byte) bool { return isUpper(c) || c == '_' || syntax.IsDigit(c) })
}

// isShouted reports whether a name is another word in upper case, as "-PATH" is.
func isShouted(name []byte) bool {
	return !isUpper(name[0]) && hasOnly(name, func(c byte) bool { return isUpper(c) || c == '_' || c == '-' || c == ' ' || syntax.IsDigit(c) })
}

func isVariable(name []byte) bool { return len(name) > 2 && isConstant(name) }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func hasOnly(name []byte, is func(byte) bool) bool {
	for _, c := range name {
		if !is(c) {
			return false
		}
	}
	return true
}

// yours returns a name that says what to write there, such as YOUR_FOLDER, or nil.
func yours(value []byte) []byte {
	at := bytes.Index(value, []byte("YOUR_"))
	if at < 0 || at > 0 && isStrictOrDigit(value[at-1]) {
		return nil
	}
	size := syntax.TokenEnd(value[at:], func(c byte) bool { return isUpper(c) || c == '_' || syntax.IsDigit(c) })
	if size == len("YOUR_") {
		return nil
	}
	return value[at:][:size]
}

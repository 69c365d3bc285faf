package usage

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// A member is a member of a dictionary of structured fields, without its parameters.
type member struct {
	key   string
	value string // as written; "" if it has none
	token bool   // the value is a token
}

// eachMember visits the members of a dictionary in their order (RFC 9651 §4.2.2). If a
// key comes again, the earlier member does not count. If value is malformed, it returns
// false, and no member counts.
func eachMember(value string, visit func(member)) bool {
	p := parser{rest: strings.Trim(value, " ")}
	for p.rest != "" {
		m, ok := p.member()
		if !ok {
			return false
		}
		visit(m)
		p.skip(" \t")
		if p.rest == "" {
			break
		}
		if !p.next(',') {
			return false
		}
		if p.skip(" \t"); p.rest == "" {
			return false // a comma at the end
		}
	}
	return true
}

// parseDictionary returns the members of a dictionary that count, in the order in which
// their keys come first. It returns nil if value is malformed.
func parseDictionary(value string) (members []member) {
	indices := make(map[string]int) // of the members, by key
	wellFormed := eachMember(value, func(m member) {
		i, again := indices[m.key]
		if again {
			members[i] = m
			return
		}
		indices[m.key] = len(members)
		members = append(members, m)
	})
	if !wellFormed {
		return nil
	}
	return members
}

// A parser reads the rest of a structured field. Each method reads one part of it from
// the beginning, and reports whether it is well-formed.
type parser struct {
	rest string
	fold bool // keys may be in upper case
}

func (p *parser) skip(set string) { p.rest = strings.TrimLeft(p.rest, set) }

// next reads the octet c.
func (p *parser) next(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// while reads octets as long as is returns true.
func (p *parser) while(is func(byte) bool) string {
	n := syntax.TokenEnd(p.rest, is)
	part := p.rest[:n]
	p.rest = p.rest[n:]
	return part
}

func (p *parser) member() (m member, ok bool) {
	if m.key, ok = p.key(); !ok {
		return m, false
	}
	if !p.next('=') {
		return m, p.parameters()
	}
	value := p.rest
	if p.rest != "" && p.rest[0] == '(' {
		ok = p.innerList()
	} else {
		m.token, ok = p.bareItem()
	}
	m.value = value[:len(value)-len(p.rest)]
	return m, ok && p.parameters()
}

func (p *parser) key() (string, bool) {
	isKey := func(c byte) bool { return isLower(c) || p.fold && isLetter(c) }
	if p.rest == "" || !isKey(p.rest[0]) && p.rest[0] != '*' {
		return "", false
	}
	return p.while(func(c byte) bool { return isKey(c) || syntax.IsDigit(c) || strings.IndexByte("_-.*", c) >= 0 }), true
}

func (p *parser) parameters() bool { return p.eachParameter(func(string, string) {}) }

// eachParameter visits the parameters, with their values as written.
func (p *parser) eachParameter(visit func(key, value string)) bool {
	for p.next(';') {
		p.skip(" ")
		key, ok := p.key()
		if !ok {
			return false
		}
		value := ""
		if p.next('=') {
			from := p.rest
			if _, ok := p.bareItem(); !ok {
				return false
			}
			value = from[:len(from)-len(p.rest)]
		}
		visit(key, value)
	}
	return true
}

func (p *parser) innerList() bool {
	p.next('(')
	for {
		p.skip(" ")
		if p.next(')') {
			return true
		}
		if _, ok := p.bareItem(); !ok || !p.parameters() {
			return false
		}
		if p.rest == "" || p.rest[0] != ' ' && p.rest[0] != ')' {
			return false
		}
	}
}

func (p *parser) bareItem() (token, ok bool) {
	if p.rest == "" {
		return false, false
	}
	switch c := p.rest[0]; {
	case c == '-' || syntax.IsDigit(c):
		return false, p.number(true)
	case c == '*' || isLetter(c):
		p.while(isToken)
		return true, true
	case c == '"':
		return false, p.text()
	case c == ':':
		return false, p.octets()
	case c == '?':
		p.next('?')
		return false, p.next('0') || p.next('1')
	case c == '@':
		p.next('@')
		return false, p.number(false)
	case c == '%':
		p.next('%')
		return false, p.displayText()
	}
	return false, false
}

// number reads an integer, or a decimal if that is allowed.
func (p *parser) number(decimal bool) bool {
	p.next('-')
	whole := len(p.while(syntax.IsDigit))
	if !decimal || !p.next('.') {
		return 1 <= whole && whole <= 15
	}
	places := len(p.while(syntax.IsDigit))
	return 1 <= whole && whole <= 12 && 1 <= places && places <= 3
}

// text reads a string.
func (p *parser) text() bool {
	for p.next('"'); ; {
		p.while(func(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '\\' })
		switch {
		case p.next('"'):
			return true
		case !p.next('\\') || !p.next('"') && !p.next('\\'):
			return false
		}
	}
}

// octets reads a byte sequence.
func (p *parser) octets() bool {
	p.next(':')
	encoded := p.while(func(c byte) bool { return c != ':' })
	_, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		_, err = base64.RawStdEncoding.DecodeString(encoded) // padding may be missing
	}
	return p.next(':') && err == nil
}

// displayText reads a display string after its "%".
func (p *parser) displayText() bool {
	if !p.next('"') {
		return false
	}
	var decoded []byte
	for {
		decoded = append(decoded, p.while(func(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '%' })...)
		if p.next('"') {
			return utf8.Valid(decoded)
		}
		if !p.next('%') || len(p.rest) < 2 {
			return false
		}
		high, low := strings.IndexByte(hexDigits, p.rest[0]), strings.IndexByte(hexDigits, p.rest[1])
		if high < 0 || low < 0 {
			return false
		}
		decoded, p.rest = append(decoded, byte(high<<4|low)), p.rest[2:]
	}
}

const hexDigits = "0123456789abcdef"

func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }

// isToken reports whether c may follow the first octet of a token.
func isToken(c byte) bool {
	return isLetter(c) || syntax.IsDigit(c) || strings.IndexByte("!#$%&'*+-.^_`|~:/", c) >= 0
}

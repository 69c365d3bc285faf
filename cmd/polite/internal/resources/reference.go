package resources

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/internal/origin"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// add adds what a reference leads to, as the page or the style at base has it.
func (p *Page) add(base *url.URL, reference string, kind Kind, from string) {
	reference = trimmed(reference)
	switch {
	case reference == "" || reference[0] == '#':
		return // the page itself
	case p.isFull():
		p.Left++
		return
	}
	p.looked++
	u, ok := resolve(base, reference)
	if !ok {
		p.Broken++
	} else if u != nil {
		p.list(Resource{u, kind, from})
	}
}

// list lists a resource, unless it is known, or there is no room.
func (p *Page) list(r Resource) {
	text := r.URL.String()
	o, err := origin.OfURL(r.URL)
	switch {
	case err != nil || len(text) > maxURL:
		p.Broken++
	case p.known[text]:
	case len(p.origins) == MostOrigins && !p.origins[o.String()]:
		p.Left++
	default:
		p.known[text], p.origins[o.String()] = true, true
		p.Resources = append(p.Resources, r)
	}
}

// resolve returns what a reference leads to. It returns nil if nobody is asked for that, as
// with data: and javascript:. If the reference is no URL, ok is false.
func resolve(base *url.URL, reference string) (u *url.URL, ok bool) {
	if scheme, _, found := strings.Cut(reference, ":"); found && schemes.MatchString(scheme) && !isHTTP(scheme) {
		return nil, true
	}
	if len(reference) > maxURL {
		return nil, false
	}
	u, err := base.Parse(reference)
	if err != nil || u.Host == "" || !isHTTP(u.Scheme) {
		return nil, false
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u, true
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// schemes matches what has the form of a scheme (RFC 3986 §3.1).
var schemes = regexp.MustCompile("^[A-Za-z][A-Za-z0-9+.-]*$")

// trimmed returns a reference as browsers read it: without the spaces around it, and without
// tabs and line ends.
func trimmed(reference string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.Trim(reference, " \t\r\n\f"))
}

// addStyle adds what a text in CSS names. Its references are relative to base.
func (p *Page) addStyle(base *url.URL, text, from string) {
	if p.isFull() && strings.Contains(text, "(") {
		p.Left++
		return
	}
	lexer := css.NewLexer(parse.NewInputString(text))
	rule := "" // the at-rule around
	for {
		token, raw := lexer.Next()
		value := string(raw)
		switch {
		case token == css.ErrorToken:
			return
		case token == css.AtKeywordToken:
			rule = strings.ToLower(value[:min(len(value), len("@font-face")+1)])
		case token == css.SemicolonToken && rule != "@font-face", token == css.LeftBraceToken && rule != "@font-face", token == css.RightBraceToken:
			rule = ""
		case token == css.StringToken && rule == "@import":
			p.add(base, unescaped(unquoted(value)), Style, from)
			rule = "" // what follows are conditions
		case token == css.URLToken && rule != "@namespace":
			p.add(base, unescaped(inURL(value)), kindIn(rule), from)
		}
	}
}

// kindIn returns what url() is for in an at-rule.
func kindIn(rule string) Kind {
	switch rule {
	case "@import":
		return Style
	case "@font-face":
		return Font
	default:
		return Image
	}
}

// inURL returns what is between the parentheses of url().
func inURL(token string) string {
	_, inner, _ := strings.Cut(token, "(")
	return unquoted(strings.TrimSpace(strings.TrimSuffix(inner, ")")))
}

func unquoted(s string) string {
	if len(s) > 1 && (s[0] == '"' || s[0] == '\'') {
		return strings.TrimSuffix(s[1:], s[:1])
	}
	return s
}

// unescaped returns the text that CSS writes with backslashes (CSS Syntax §4.3.7).
func unescaped(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, `\`)
		b.WriteString(before)
		if !found || after == "" {
			return b.String()
		}
		head := after[:min(len(after), 6)]
		digits := len(head) - len(strings.TrimLeft(head, "0123456789abcdefABCDEF"))
		if digits == 0 {
			_, size := utf8.DecodeRuneInString(after)
			b.WriteString(after[:size])
			s = after[size:]
			continue
		}
		code, _ := strconv.ParseUint(after[:digits], 16, 32)
		b.WriteRune(rune(code))
		s = strings.TrimPrefix(after[digits:], " ")
	}
}

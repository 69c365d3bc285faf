package resources

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

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

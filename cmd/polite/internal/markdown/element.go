package markdown

import "golang.org/x/net/html/atom"

// keptAs returns the element as which an element is kept, and whether it is kept at all. The
// text of all others is.
func keptAs(name atom.Atom) (as atom.Atom, kept bool) {
	switch name {
	case atom.Main, atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Code,
		atom.A, atom.Strong, atom.Em, atom.Table, atom.Thead, atom.Tbody, atom.Tr, atom.Td, atom.Th, atom.Div, atom.Sup, atom.Sub, atom.Del, atom.Q:
		return name, true
	case atom.B:
		return atom.Strong, true
	case atom.I, atom.Cite, atom.Dfn, atom.Var:
		return atom.Em, true
	case atom.S, atom.Strike:
		return atom.Del, true
	case atom.Kbd, atom.Samp, atom.Tt:
		return atom.Code, true
	case atom.Section, atom.Article, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Address, atom.Figure, atom.Figcaption,
		atom.Details, atom.Summary, atom.Dl, atom.Dt, atom.Dd, atom.Form, atom.Fieldset, atom.Caption, atom.Body, atom.Center, atom.Hgroup:
		return atom.Div, true
	}
	return 0, false
}

// marks are the texts that stand for elements without a form in Markdown that is known everywhere.
var marks = map[atom.Atom]struct{ begin, end string }{
	atom.Sup: {"<sup>", "</sup>"}, atom.Sub: {"<sub>", "</sub>"}, atom.Del: {"~~", "~~"}, atom.Q: {`"`, `"`},
}

func isVoid(name atom.Atom) bool {
	switch name {
	case atom.Br, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Wbr, atom.Embed, atom.Source, atom.Track, atom.Area, atom.Col, atom.Param, atom.Base:
		return true
	}
	return false
}

// unseen reports whether a reader sees nothing of the text of an element.
func unseen(name atom.Atom) bool {
	switch name {
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Canvas, atom.Audio, atom.Video,
		atom.Datalist, atom.Noembed, atom.Noframes, atom.Map:
		return true
	}
	return false
}

// isExtra reports whether an element is a menu or the like, or has no form in Markdown.
func isExtra(name atom.Atom) bool {
	switch name {
	case atom.Nav, atom.Aside, atom.Footer, atom.Menu, atom.Svg, atom.Math, atom.Select, atom.Textarea, atom.Dialog:
		return true
	}
	return false
}

package markdown

import "golang.org/x/net/html/atom"

// keptAs returns the element as which an element is kept, and whether it is kept at all. The
// text of all others is.
func keptAs(name atom.Atom) (as atom.Atom, kept bool) {
	switch name {
	case atom.Main, atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Pre, atom.Code,
		atom.A, atom.Strong, atom.Em, atom.Table, atom.Thead, atom.Tbody, atom.Tr, atom.Td, atom.Th, atom.Div:
		return name, true
	case atom.B:
		return atom.Strong, true
	case atom.I, atom.Cite, atom.Dfn, atom.Var:
		return atom.Em, true
	case atom.Kbd, atom.Samp, atom.Tt:
		return atom.Code, true
	case atom.Section, atom.Article, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Address, atom.Figure, atom.Figcaption,
		atom.Details, atom.Summary, atom.Dl, atom.Dt, atom.Dd, atom.Form, atom.Fieldset, atom.Caption, atom.Body, atom.Center, atom.Hgroup:
		return atom.Div, true
	}
	return 0, false
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
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Math, atom.Iframe, atom.Object, atom.Canvas, atom.Audio, atom.Video,
		atom.Select, atom.Textarea, atom.Datalist, atom.Noembed, atom.Noframes, atom.Map, atom.Dialog:
		return true
	}
	return false
}

func isMenu(name atom.Atom) bool {
	return name == atom.Nav || name == atom.Aside || name == atom.Footer || name == atom.Menu
}

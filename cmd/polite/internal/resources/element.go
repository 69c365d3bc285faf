package resources

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A reference is what an element names, and what for.
type reference struct {
	to   string
	kind Kind
}

// attributes says which attributes of which elements are references, where nothing else
// decides (HTML §4, "Attributes").
var attributes = map[string]map[string]Kind{
	"script": {"src": Script},
	"img":    {"src": Image},
	"image":  {"href": Image, "xlink:href": Image}, // of SVG
	"use":    {"href": Image, "xlink:href": Image},
	"iframe": {"src": Frame},
	"frame":  {"src": Frame},
	"embed":  {"src": Object},
	"object": {"data": Object},
	"audio":  {"src": Media},
	"video":  {"src": Media, "poster": Image},
	"track":  {"src": Media},
	"body":   {"background": Image},
	"table":  {"background": Image},
	"td":     {"background": Image},
}

// references returns what an element loads that is in an element for a medium, or in none.
func (e element) references(medium string) (all []reference) {
	switch {
	case e.name == "link":
		return e.links()
	case e.name == "source" && medium != "picture":
		return e.from("src", Media)
	case e.name == "source" || e.name == "img":
		all = e.candidates("srcset")
	case e.name == "input" && e.has("type", "image"):
		return e.from("src", Image)
	}
	for _, a := range e.attributes {
		if kind, ok := attributes[e.name][a.Key]; ok {
			all = append(all, reference{a.Val, kind})
		}
	}
	return all
}

// from returns the reference that an attribute is.
func (e element) from(key string, kind Kind) []reference {
	if value, ok := e.get(key); ok {
		return []reference{{value, kind}}
	}
	return nil
}

// links returns what a link element loads, which its rel says.
func (e element) links() []reference {
	switch {
	case e.has("rel", "stylesheet"):
		return e.from("href", Style)
	case e.has("rel", "modulepreload"):
		return e.from("href", Script)
	case e.has("rel", "icon") || e.has("rel", "apple-touch-icon") || e.has("rel", "mask-icon"):
		return e.from("href", Image)
	case e.has("rel", "manifest"):
		return e.from("href", Data)
	case e.has("rel", "preload"):
		return append(e.from("href", e.as()), e.candidates("imagesrcset")...)
	default:
		return nil
	}
}

// as returns what a preload is for.
func (e element) as() Kind {
	as, _ := e.get("as")
	switch strings.ToLower(strings.TrimSpace(as)) {
	case "script", "worker", "sharedworker", "serviceworker", "audioworklet", "paintworklet":
		return Script
	case "style":
		return Style
	case "image":
		return Image
	case "font":
		return Font
	case "document":
		return Frame
	case "audio", "video", "track":
		return Media
	default:
		return Data
	}
}

// candidates returns the images of an attribute that has several.
func (e element) candidates(key string) (all []reference) {
	value, _ := e.get(key)
	for to := range candidates(value) {
		all = append(all, reference{to, Image})
	}
	return all
}

// candidates yields the URLs of a srcset (HTML §4.8.4.2.1). A URL ends at a space; commas at
// its end are not its own. What follows it, up to a comma outside parentheses, is no URL.
func candidates(srcset string) iter.Seq[string] {
	const space = " \t\n\f\r"
	return func(yield func(string) bool) {
		for rest := strings.TrimLeft(srcset, space+","); rest != ""; rest = strings.TrimLeft(rest, space+",") {
			end := strings.IndexAny(rest, space)
			if end < 0 {
				end = len(rest)
			}
			to := strings.TrimRight(rest[:end], ",")
			if !yield(to) {
				return
			}
			if rest = rest[end:]; end == len(to) {
				rest = afterDescriptors(rest)
			}
		}
	}
}

// afterDescriptors returns what follows the descriptors that s begins with.
func afterDescriptors(s string) string {
	open := 0
	for i := range len(s) {
		switch {
		case s[i] == '(':
			open++
		case s[i] == ')' && open > 0:
			open--
		case s[i] == ',' && open == 0:
			return s[i:]
		}
	}
	return ""
}

// An element is a tag with its attributes.
type element struct {
	name       string
	attributes []html.Attribute
}

// get returns the value of an attribute. If there are several, the first counts.
func (e element) get(key string) (value string, ok bool) {
	for _, a := range e.attributes {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// has reports whether an attribute that is a list of words has a word.
func (e element) has(key, word string) bool {
	value, _ := e.get(key)
	return slices.ContainsFunc(strings.Fields(value), func(field string) bool { return strings.EqualFold(field, word) })
}

// Package resources finds what a page loads: its scripts, styles, images, frames and fonts.
// All that it reads is bounded, whatever a page writes.
package resources

import "net/url"

const (
	// MaxPage is how many octets of a page are read.
	MaxPage = 10 << 20

	// Most is how many resources of a page are listed. The others are counted.
	Most = 1000

	// MostOrigins is how many origins of resources are listed: each has a robots.txt that
	// somebody will ask for.
	MostOrigins = 100

	// mostLooked is how many references are looked at. Many may be the same.
	mostLooked = 10 * Most

	// maxURL is how long the URL of a resource may be, in octets.
	maxURL = 4 << 10
)

// A Page is what a page loads.
type Page struct {
	URL       *url.URL
	Resources []Resource // each URL once, in the order of the page
	Left      int        // how many more references there are, beyond [Most] and [MostOrigins]; some may be the same
	Broken    int        // how many references are no URL, or too long for one
	Cut       bool       // the page is longer than [MaxPage], and its end was not read
	Unread    []Unread   // the styles that could not be looked into

	base    *url.URL        // what references are relative to
	known   map[string]bool // the URLs of Resources
	origins map[string]bool // those of Resources
	looked  int             // how many references were looked at
}

// isFull reports whether no more references are looked at.
func (p *Page) isFull() bool { return len(p.Resources) >= Most || p.looked >= mostLooked }

// An Unread is a style that could not be looked into, so that nobody knows what it loads.
type Unread struct {
	URL string
	Err error
}

// A Resource is what a page loads from a URL.
type Resource struct {
	URL  *url.URL
	Kind Kind
	From string // the URL of the style that names it; "" if the page itself does
}

// styles returns the URLs of the styles.
func (p *Page) styles() (all []*url.URL) {
	for _, r := range p.Resources {
		if r.Kind == Style {
			all = append(all, r.URL)
		}
	}
	return all
}

// A Kind is what a resource is for.
type Kind string

const (
	Script Kind = "script"
	Style  Kind = "style"
	Image  Kind = "image"
	Frame  Kind = "frame"
	Font   Kind = "font"
	Media  Kind = "media" // sound, film, and what belongs to them
	Data   Kind = "data"  // what scripts read, and manifests
	Object Kind = "object"
)

package memory

import (
	"strings"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
)

// A name is what a Known keeps of its origin, and what polite sends to ask whether its
// file has changed. All of it is one text, so that a Known takes 140 bytes less.
type name struct {
	text string // lines: the host; dial; the validators, without their URL if it is the origin's own
	port uint16
	tls  bool
	cost int32 // of the Known; anywhere else it would make the Known 16 bytes larger
}

// nameOf returns the name of o, with v if there is something to send.
func nameOf(o origin.Origin, v fetch.Validators) name {
	text := o.Host
	if v != (fetch.Validators{}) {
		if v.URL == o.RobotsURL().String() {
			v.URL = ""
		}
		text = strings.Join([]string{o.Host, o.Dial, v.URL, v.ETag, v.LastModified}, "\n")
	} else if o.Dial != "" {
		text = o.Host + "\n" + o.Dial
	}
	return name{text: strings.Clone(text), port: o.Port, tls: o.TLS}
}

// hasRoom reports whether a name can have v.
func hasRoom(v fetch.Validators) bool {
	return v.URL != "" && !strings.Contains(v.URL+v.ETag+v.LastModified, "\n")
}

// Key returns the origin.
func (n *name) Key() origin.Origin {
	host, rest, _ := strings.Cut(n.text, "\n")
	dial, _, _ := strings.Cut(rest, "\n")
	return origin.Origin{Host: host, Dial: dial, Port: n.port, TLS: n.tls}
}

// HasKey reports whether n is the name of o.
func (n *name) HasKey(o origin.Origin) bool {
	rest, ok := strings.CutPrefix(n.text, o.Host)
	if !ok || n.port != o.Port || n.tls != o.TLS {
		return false
	}
	if rest == "" || o.Dial == "" {
		return o.Dial == "" && (rest == "" || strings.HasPrefix(rest, "\n\n"))
	}
	rest, ok = strings.CutPrefix(rest, "\n"+o.Dial)
	return ok && (rest == "" || rest[0] == '\n')
}

// validators returns what polite sends to ask whether the file has changed.
func (n *name) validators() (v fetch.Validators) {
	lines := strings.Split(n.text, "\n")
	if len(lines) < 5 {
		return v
	}
	v = fetch.Validators{URL: lines[2], ETag: lines[3], LastModified: lines[4]}
	if v.URL == "" {
		v.URL = n.Key().RobotsURL().String()
	}
	return v
}

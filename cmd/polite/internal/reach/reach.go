// Package reach knows whether sites were reached at addresses of the public internet alone. What
// came from a private address is not handed out where private addresses are closed, whatever the
// name of the site.
package reach

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/public"
)

// A reached says at which addresses a site was dialled: a name may have several. Zero is at none, or through
// another proxy.
type reached uint8

const (
	publicly reached = 1 << iota
	privately
	refused // a private address was not connected to
)

// mostSites is how many sites are noted. Further ones stay unknown.
const mostSites = 100_000

// dialled is what this process has dialled, by host and port.
var dialled = struct {
	sync.Mutex
	sites map[string]reached
}{sites: make(map[string]reached)}

func init() {
	if t, ok := http.DefaultTransport.(*http.Transport); ok { // which most verbs send by
		t.DialContext = Dial(nil)
	}
}

// Dial returns a DialContext that notes the addresses of sites. If vet returns an error for an
// address, there is no connection to it: see net.Dialer.Control. A nil vet allows each, unless a
// site of the public internet has led here: see Redirect.
func Dial(vet func(network, address string, c syscall.RawConn) error) func(ctx context.Context, network, site string) (net.Conn, error) {
	return func(ctx context.Context, network, site string) (net.Conn, error) {
		d := net.Dialer{Timeout: 30 * time.Second, Control: func(network, address string, c syscall.RawConn) (err error) {
			r := publicly
			if public.Control(network, address, c) != nil {
				r = privately
			}
			switch {
			case vet != nil:
				err = vet(network, address, c)
			case r == privately && isLed(site):
				err = public.ErrPrivate
			}
			if err != nil {
				r = refused
			}
			note(site, r)
			return err
		}}
		return d.DialContext(ctx, network, site)
	}
}

// note notes how a site was reached, which is dialled as a URL spells it: one with the root's dot, for
// example, is the same.
func note(site string, r reached) {
	site = spelled(site)
	dialled.Lock()
	defer dialled.Unlock()
	if was, known := dialled.sites[site]; known || len(dialled.sites) < mostSites {
		dialled.sites[site] = was | r
	}
}

// spelled returns the address of a site in the spelling of siteOf.
func spelled(site string) string {
	if o, err := origin.OfURL(&url.URL{Scheme: "http", Host: site}); err == nil {
		return siteOf(o)
	}
	return site
}

// Refuse notes that a site was not asked because it may be private.
func Refuse(u *url.URL) {
	if o, err := origin.OfURL(u); err == nil {
		note(siteOf(o), refused)
	}
}

// isOutside reports whether the site of a URL may be on the public internet, whatever else its name leads to.
func isOutside(u *url.URL) bool {
	o, err := origin.OfURL(u)
	return err == nil && at(o)&publicly != 0
}

// Public reports whether the site of a URL was dialled, and at public addresses alone.
func Public(u *url.URL) bool {
	o, err := origin.OfURL(u)
	return err == nil && at(o) == publicly
}

func at(o origin.Origin) reached {
	dialled.Lock()
	defer dialled.Unlock()
	return dialled.sites[siteOf(o)]
}

// siteOf returns the address of an origin as net/http dials it.
func siteOf(o origin.Origin) string {
	return cmp.Or(o.Dial, net.JoinHostPort(o.Host, strconv.Itoa(int(o.Port))))
}

// led are the sites that a site of the public internet has led to, and asked are those that the user
// asks at the moment, by host and port.
var (
	leading sync.Mutex
	led     = make(map[string]bool)
	asked   = make(map[string]int)
)

// Redirect is public.Redirect, also for a name that leads to a private address: if the redirect is that
// of a site which was dialled at a public address, Dial(nil) connects to no others for the next one. It
// does if the user asks that site: see Ask.
func Redirect(from, to *url.URL) error {
	if err := public.Redirect(from, to); err != nil {
		return err
	}
	if o, err := origin.OfURL(to); err == nil && isOutside(from) {
		leading.Lock()
		defer leading.Unlock()
		if len(led) == mostSites {
			clear(led) // those that are under way are few
		}
		led[siteOf(o)] = true
	}
	return nil
}

// Ask notes that the user asks the site of a URL, until over is called.
func Ask(u *url.URL) (over func()) {
	o, err := origin.OfURL(u)
	if err != nil {
		return func() {}
	}
	site := siteOf(o)
	add := func(n int) {
		leading.Lock()
		defer leading.Unlock()
		if asked[site] += n; asked[site] == 0 {
			delete(asked, site)
		}
	}
	add(1)
	return func() { add(-1) }
}

// isLed reports whether the public internet has led to a site, and the user does not ask it.
func isLed(site string) bool {
	site = spelled(site)
	leading.Lock()
	defer leading.Unlock()
	return led[site] && asked[site] == 0
}

package reach

import (
	"net/url"
	"sync"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/public"
)

// led are the sites that a site of the public internet has led to, and asked are those that the user
// asks at the moment, by host and port.
var (
	leading sync.Mutex
	led     = make(map[string]bool)
	asked   = make(map[string]int)
)

// Redirect is public.Redirect, also for a name that leads to a private address: if the redirect is that
// of a site which was dialled at public addresses, Dial(nil) connects to no others for the next one. It
// does if the user asks that site: see Ask.
func Redirect(from, to *url.URL) error {
	if err := public.Redirect(from, to); err != nil {
		return err
	}
	if o, err := origin.OfURL(to); err == nil && Public(from) {
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
	if o, err := origin.OfURL(&url.URL{Scheme: "http", Host: site}); err == nil {
		site = siteOf(o)
	}
	leading.Lock()
	defer leading.Unlock()
	return led[site] && asked[site] == 0
}

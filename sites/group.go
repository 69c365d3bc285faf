package sites

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/sync/singleflight"
)

// ByDomain returns the registrable domain of the host that req is for: "example.co.uk" for
// http://www.example.co.uk/. It goes by the Public Suffix List of golang.org/x/net. For an address, and
// for a host without such a domain, it returns the host itself. For a request without a host, it
// returns "". It is a [polite.Group] Key, or a [polite.Pace] Key. It is safe for concurrent use.
func ByDomain(req *http.Request) string {
	o, err := origin.OfRequest(req)
	if err != nil {
		return ""
	}
	host := strings.TrimSuffix(o.Host, ".")
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// ByAddress returns a [polite.Group] Key: the lowest IP address of the host to which a request
// connects, IPv4 before IPv6. So hosts with the same addresses are one group. lookup finds the
// addresses, for the network "ip". If nil, net.DefaultResolver finds them.
//
// The Key keeps the addresses of a host for ten minutes, for up to 10,000 hosts. If a lookup fails, or
// takes longer than ten seconds, the Key is "", so that the request has no group. It does not look
// again for ten seconds. A Key is also "" once the context of its request has ended. Each host is
// looked up once at a time. If a proxy or a dialer of your own chooses the address, the Key may be
// another address. The Key is safe for concurrent use. Make it once: each ByAddress keeps addresses of
// its own.
func ByAddress(lookup func(ctx context.Context, network, host string) ([]netip.Addr, error)) func(req *http.Request) string {
	if lookup == nil {
		lookup = net.DefaultResolver.LookupNetIP
	}
	a := &addresses{lookup: lookup, known: make(map[string]address)}
	return a.key
}

const (
	keepAddress = 10 * time.Minute
	keepFailure = 10 * time.Second
	lookupTime  = 10 * time.Second
	mostHosts   = 10_000
)

// addresses are the lowest addresses of hosts.
type addresses struct {
	lookup  func(ctx context.Context, network, host string) ([]netip.Addr, error)
	flights singleflight.Group

	mu    sync.Mutex
	known map[string]address
}

// An address is the known address of a host, which holds until some time.
type address struct {
	text  string // "" if there is none
	until time.Time
}

func (a *addresses) key(req *http.Request) string {
	host := strings.ToLower(strings.TrimSuffix(req.URL.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	if known, ok := a.find(host); ok || host == "" {
		return known
	}
	found := a.flights.DoChan(host, func() (any, error) { return a.ask(host), nil })
	select {
	case result := <-found:
		return result.Val.(string)
	case <-req.Context().Done():
		return ""
	}
}

func (a *addresses) find(host string) (text string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.known[host]
	return known.text, ok && time.Now().Before(known.until)
}

// ask looks host up, for all requests that wait. It goes on if some of them leave.
func (a *addresses) ask(host string) (text string) {
	ctx, cancel := context.WithTimeout(context.Background(), lookupTime)
	defer cancel()
	keep := keepFailure
	if all, err := a.lookup(ctx, "ip", host); err == nil && len(all) > 0 {
		lowest := slices.MinFunc(all, func(x, y netip.Addr) int { return x.Unmap().Compare(y.Unmap()) })
		text, keep = lowest.Unmap().String(), keepAddress
	}
	a.keep(strings.Clone(host), address{text, time.Now().Add(keep)})
	return text
}

// keep keeps what is known of a host. If there are too many hosts, it forgets those that are out of
// date, and then any.
func (a *addresses) keep(host string, known address) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.known) >= mostHosts {
		now := time.Now()
		for other, old := range a.known {
			if old.until.Before(now) || len(a.known) > mostHosts*3/4 {
				delete(a.known, other)
			}
		}
	}
	a.known[host] = known
}

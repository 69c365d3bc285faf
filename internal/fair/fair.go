// Package fair says which lanes a full memory forgets of those that still bind somebody. Sites cause lanes to be kept, and a
// hostile one causes many, under many names. So each name of a site has a rank: the name
// that came first has the first one. The last ranks of all sites are forgotten first, and
// of equal ranks the newest. How long a site wants to be remembered does not matter. So
// whoever comes later, or in a crowd, bears what this costs.
package fair

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
)

// A Lane is one that may be forgotten. T is what its owner knows it by.
type Lane[T any] struct {
	Value T
	Name  string // as in store.Turns
	Age   int64  // smaller for what came before
}

// Sort puts those first that are forgotten first.
func Sort[T any](lanes []Lane[T]) {
	type ranked struct {
		Lane[T]
		site string
		rank int
	}
	all := make([]ranked, len(lanes))
	for i, l := range lanes {
		all[i] = ranked{Lane: l, site: Site(l.Name)}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.Age, b.Age), cmp.Compare(a.Name, b.Name)) })
	ranks := make(map[string]int)
	for i := range all {
		all[i].rank = ranks[all[i].site]
		ranks[all[i].site]++
	}
	slices.Reverse(all) // the newest first
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(b.rank, a.rank) })
	for i := range all {
		lanes[i] = all[i].Lane
	}
}

// Site returns whose a lane is, by its name: the domain that somebody has registered, or a
// network. It knows no list of such domains, and takes the last two labels, or three as in
// example.co.uk. A lane that has no origin in its name is a site of its own.
func Site(name string) string {
	_, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	host, _, _ := strings.Cut(rest, " ") // an address to dial may follow
	if port := strings.LastIndexByte(host, ':'); port > strings.LastIndexByte(host, ']') {
		host = host[:port]
	}
	if host != "" && (host[0] == '[' || '0' <= host[len(host)-1] && host[len(host)-1] <= '9') {
		if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
			return network(ip)
		}
	}
	return domain(strings.TrimSuffix(host, "."))
}

// domain returns the last labels of a host.
func domain(host string) string {
	last := strings.LastIndexByte(host, '.')
	next := strings.LastIndexByte(host[:max(last, 0)], '.')
	if next >= 0 && len(host)-last-1 == 2 && last-next-1 <= 3 {
		next = strings.LastIndexByte(host[:next], '.')
	}
	return host[next+1:]
}

// network returns the network of an address that somebody usually has as a whole.
func network(ip netip.Addr) string {
	bits := 24
	if ip = ip.Unmap(); ip.Is6() {
		bits = 48
	}
	net, _ := ip.WithZone("").Prefix(bits)
	return net.String()
}

package origin

import (
	"net/netip"
	"strings"
)

// IsPublic reports whether host, a name or an address, is of the public internet. A name
// is not looked up: it is public if the public DNS may have it. An address in an unusual
// spelling (127.1, 0x7f000001) is not public.
func IsPublic(host string) bool {
	host = usual(host)
	if addr, err := netip.ParseAddr(host); err == nil {
		return IsPublicAddr(addr)
	}
	return isName(host) && !isLocalName(host)
}

// IsPrivate reports whether host, a name or an address, is beyond doubt of this
// machine or of a private network. Some hosts are neither private nor public:
// a multicast address, or 010.1.1.1, which some read as 10.1.1.1 and others as 8.1.1.1.
func IsPrivate(host string) bool {
	host = usual(host)
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return isName(host) && isLocalName(host)
	}
	addr = addr.Unmap()
	return addr.IsLoopback() || addr.IsUnspecified() || addr.IsLinkLocalUnicast() || addr.IsPrivate() || carrierGrade.Contains(addr)
}

// usual returns the one spelling of a host name, without the dot that may end it. If there is no such spelling, it
// returns the host in lower case: it may be an IPv6 address without brackets.
func usual(host string) string {
	spelled, err := name(host)
	if err != nil {
		spelled = strings.ToLower(host)
	}
	return strings.TrimSuffix(spelled, ".")
}

// isName reports whether host, which is no usual address, is a name, and not an address
// in an unusual spelling: the last part of a name does not begin with a digit.
func isName(host string) bool {
	for i := range len(host) {
		if host[i] >= 0x80 || host[i] == ':' {
			return false
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && (last[0] < '0' || '9' < last[0])
}

// isLocalName reports whether the public DNS cannot have a name, because it has no dot,
// or is under a domain that is set aside for a machine or a network.
func isLocalName(name string) bool {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return true // localhost, ip6-loopback, a neighbour
	}
	switch name[dot+1:] {
	case "localhost", "test", // RFC 6761 §6
		"local",                                                  // RFC 6762 §3
		"corp", "home", "internal", "intranet", "lan", "private", // RFC 6762 appendix G
		"localdomain", "localdomain4", "localdomain6": // of /etc/hosts
		return true
	}
	return name == "home.arpa" || strings.HasSuffix(name, ".home.arpa") // RFC 8375
}

// IsPublicAddr reports whether addr, and each IPv4 address that it wraps, is of the
// public internet.
func IsPublicAddr(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" { // a zone is an interface of this machine
		return false
	}
	addr = addr.Unmap()
	if addr.Is6() && !global.Contains(addr) && !nat64.Contains(addr) {
		return false
	}
	for _, prefix := range notPublic {
		if prefix.Contains(addr) {
			return false
		}
	}
	for _, v4 := range wrapped(addr) {
		if !IsPublicAddr(v4) {
			return false
		}
	}
	return true
}

// wrapped returns the IPv4 addresses that packets for addr may be handed on to.
func wrapped(addr netip.Addr) (v4 []netip.Addr) {
	b := addr.As16()
	if sixToFour.Contains(addr) {
		v4 = append(v4, netip.AddrFrom4([4]byte(b[2:6])))
	}
	isatap := b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe // RFC 5214 §6.1
	if isatap || nat64.Contains(addr) {
		v4 = append(v4, netip.AddrFrom4([4]byte(b[12:])))
	}
	return v4
}

var (
	global       = netip.MustParsePrefix("2000::/3")      // all that IANA has given out
	nat64        = netip.MustParsePrefix("64:ff9b::/96")  // RFC 6052 §2.1
	sixToFour    = netip.MustParsePrefix("2002::/16")     // RFC 3056 §2
	carrierGrade = netip.MustParsePrefix("100.64.0.0/10") // RFC 6598
)

// notPublic are the addresses for special purposes (RFC 6890, and IANA's registries after
// it), multicast addresses, and the address of a cloud's platform. Addresses outside of global need not be named.
var notPublic = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared behind a provider's translation
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's platform, for its machines alone: learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
	"169.254.0.0/16",   // link-local
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocols
	"192.0.2.0/24",     // documentation
	"192.88.99.0/24",   // relays of 6to4
	"192.168.0.0/16",   // private
	"198.18.0.0/15",    // benchmarks
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast
	"2001::/23",        // protocols, Teredo, benchmarks
	"2001:db8::/32",    // documentation
	"3fff::/20",        // documentation
)

func prefixes(list ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(list))
	for i, prefix := range list {
		parsed[i] = netip.MustParsePrefix(prefix)
	}
	return parsed
}

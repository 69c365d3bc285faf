package identity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// Ranges are the addresses that requests of a crawler come from.
type Ranges []netip.Prefix

// Add adds a range such as 192.0.2.0/24, or one address.
func (r *Ranges) Add(text string) error {
	prefix, err := netip.ParsePrefix(text)
	if err != nil && !strings.Contains(text, "/") {
		var address netip.Addr
		if address, err = netip.ParseAddr(text); err == nil && address.Zone() == "" {
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
	}
	switch at := prefix.Addr(); {
	case err != nil || !prefix.IsValid() || at.Is4In6():
		return fmt.Errorf("%.60q is no range of addresses: write one like 192.0.2.0/24 or 2001:db8::/32", text)
	case prefix != prefix.Masked():
		return fmt.Errorf("%s begins within a range: write %s, or one address alone", text, prefix.Masked())
	case prefix.Bits() == 0:
		return fmt.Errorf("%s is every address: anybody would be your crawler", text)
	case at.IsPrivate(), at.IsLoopback(), at.IsLinkLocalUnicast(), at.IsMulticast(), at.IsUnspecified():
		return fmt.Errorf("%s is not on the public internet: sites never see it", text)
	}
	if !slices.Contains(*r, prefix) {
		*r = append(*r, prefix)
	}
	return nil
}

// A published list has the form of draft-illyes-webbotauth-jafar-00 §2.
type published struct {
	CreationTime string  `json:"creationTime"`
	Prefixes     []entry `json:"prefixes"`
}

// An entry has one of the two prefixes (§2.3).
type entry struct {
	IPv4     string   `json:"ipv4Prefix,omitempty"`
	IPv6     string   `json:"ipv6Prefix,omitempty"`
	Services []string `json:"services"`
}

// JSON returns the list to publish for a crawler, as it is now, in the order of the addresses.
// It wants to be made anew each day (§3.1).
func (r Ranges) JSON(crawler string, now time.Time) ([]byte, error) {
	list := published{CreationTime: now.UTC().Format(time.RFC3339), Prefixes: []entry{}}
	for _, prefix := range slices.SortedFunc(slices.Values(r), compare) {
		e := entry{Services: []string{crawler}}
		if prefix.Addr().Is4() {
			e.IPv4 = prefix.String()
		} else {
			e.IPv6 = prefix.String()
		}
		list.Prefixes = append(list.Prefixes, e)
	}
	b, err := json.MarshalIndent(list, "", "  ")
	return append(b, '\n'), err
}

func compare(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}

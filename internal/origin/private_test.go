package origin_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPublicAndPrivate(t *testing.T) {
	const public, private, neither = "public", "private", "neither"
	for want, hosts := range map[string][]string{
		public: {
			"example.com", "EXAMPLE.com.", "localhost.example.com", "1.example.com", "127.0.0.1.example.com", "xn--exmple-cua.com", "exämple.com",
			"local.example", "notlocal.localhost.example", "internal.com", "home.arpa.example",
			"8.8.8.8", "192.0.3.1", "172.32.0.1", "100.128.0.1", "198.20.0.1", "223.255.255.255",
			"2001:4860:4860::8888", "2a00::1", "2001:200::1", "2620:4f:8000::1",
			"::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1", "2a00::5efe:8.8.8.8", "2a00::200:5efe:808:808",
			"2a00::1:5efe:10.0.0.1", "2a00::100:5efe:10.0.0.1", "2a00::5eff:10.0.0.1", "2a00::5ffe:10.0.0.1", // no ISATAP
		},
		private: {
			"localhost", "LOCALHOST", "localhost.", "ⓛocalhost", "a.localhost", "a.localhost.", "localhost.localdomain", "localhost4.localdomain4", "localhost6.localdomain6",
			"localhost6", "ip6-localhost", "IP6-Localhost", "ip6-loopback", "router", "my_service",
			"printer.local", "metadata.google.internal", "wiki.corp", "nas.lan", "nas.home", "nas.home.arpa", "home.arpa", "wiki.intranet", "a.private", "site.test",
			"127.0.0.1", "127.0.0.1.", "127.255.255.254", "１２７.0.0.1", "127。0。0。1", "0.0.0.0",
			"10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.100.100.200",
			"::1", "0:0:0:0:0:0:0:1", "::", "fe80::1", "fe80::1%en0", "fc00::1", "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:0.0.0.0", "::ffff:10.0.0.1",
		},
		neither: {
			"", ".", "..", "localhost..", "127.0.0.1..",
			"127.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "010.8.8.8", "127.0.0.01", "0", "017700000001", "134744072", "8.8.2056", "256.256.256.256", "1.2.3.4.5", "a.1", "a.9", "1",
			"0.1.2.3", "168.63.129.16", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
			"64:ff9b::7f00:1", "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::169.254.169.254", "64:ff9b::168.63.129.16", "64:ff9b::0.0.0.0", "64:ff9b::100.64.0.1", "64:ff9b::224.0.0.1",
			"64:ff9b:1::7f00:1", "64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff:7f00:1::", "64:ff9b:2::1",
			"::127.0.0.1", "::7f00:1", "::8.8.8.8", "::10.0.0.1", "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8",
			"2002:7f00:1::", "2002:7f00:1::1", "2002:a00:1::1", "2002:c0a8:1::1", "2002:a9fe:a9fe::1", "2002:808:808::5efe:10.0.0.1",
			"2001:0:808:808::80ff:fffe", "2001::1", "2001:2::1", "2001:10::1", "2001:20::1",
			"2a00::5efe:10.0.0.1", "2a00::200:5efe:7f00:1",
			"fec0::1", "feff::1", "ff02::1", "ff0e::1", "100::1", "2001:db8::1", "3fff::1", "5f00::1", "4000::1", "a000::1",
			"2001:4860:4860::8888%en0", "::ffff:8.8.8.8%en0", "1::2::3", "v1.a:b", "exämple.xn--a",
		},
	} {
		for _, host := range hosts {
			got := neither
			switch {
			case origin.IsPublic(host):
				got = public
				assert.False(t, origin.IsPrivate(host), host)
			case origin.IsPrivate(host):
				got = private
			}
			assert.Equal(t, want, got, host)
		}
	}
}

// An IPv6 address that wraps a private IPv4 address is not public. No host is both public
// and private.
func FuzzIsPublic(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "10.0.0.1", "8.8.8.8", "0.1.2.3", "255.255.255.255", "::1", "fe80::1%en0", "localhost.", "exämple.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, host string) {
		require.False(t, origin.IsPublic(host) && origin.IsPrivate(host))
		addr, err := netip.ParseAddr(host)
		if err != nil || !addr.Is4() {
			return
		}
		public := origin.IsPublicAddr(addr)
		require.Equal(t, public, origin.IsPublic(host))
		require.Equal(t, public, origin.IsPublicAddr(netip.AddrFrom16(addr.As16())))
		b := addr.As4()
		hex := fmt.Sprintf("%x:%x", int(b[0])<<8|int(b[1]), int(b[2])<<8|int(b[3]))
		for _, wraps := range []string{"::ffff:" + hex, "64:ff9b::" + hex, "2002:" + hex + "::1", "2a00::5efe:" + hex} {
			require.Equal(t, public, origin.IsPublic(wraps), wraps)
		}
		for _, never := range []string{"::" + hex, "::ffff:0:" + hex, "64:ff9b:1::" + hex, "2001:0:" + hex + "::1"} {
			require.False(t, origin.IsPublic(never), never)
		}
	})
}

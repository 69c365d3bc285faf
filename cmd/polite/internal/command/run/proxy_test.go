package run

import (
	"net"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where others reach the proxy, it has a secret of its own.
func TestProxyForOthers(t *testing.T) {
	for listen, locked := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "[::1]:0": false, ":0": true, "0.0.0.0:0": true, "shop.example:0": true} {
		o := proxyOptions{gatewayOptions: gatewayOptions{userAgent: "ExampleBot/1.0"}, door: verb.Door{Address: listen}}
		require.NoError(t, o.take(nil))
		if locked {
			assert.GreaterOrEqual(t, len(o.door.Secret), 26, "%s: 5 bits each", listen)
			assert.Contains(t, o.link(&net.TCPAddr{IP: net.IPv4zero, Port: 1}), "http://polite:"+o.door.Secret+"@0.0.0.0:1/")
		} else {
			assert.Equal(t, proxy.TellsUsers(), o.door.Secret == "", listen)
		}
	}
}

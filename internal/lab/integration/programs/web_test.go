package programs

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// A web is a server that is every host, behind a proxy which finds them all. polite goes on to
// this proxy as it goes on to any that its user has, so it needs to know nothing of a test.
type web struct {
	*origintest.Server
	URL string // of the proxy
	CA  string // a file with the certificate that all hosts have
}

func newWeb(t *testing.T) *web {
	w := &web{Server: origintest.New(t), CA: filepath.Join(t.TempDir(), "web.pem")}
	require.NoError(t, os.WriteFile(w.CA, w.Server.CA(), 0o600))
	proxy := httptest.NewServer(passage{w.Server, w.Transport(t)})
	t.Cleanup(proxy.Close)
	w.URL = proxy.URL
	return w
}

// A passage is the proxy before a web.
type passage struct {
	server    *origintest.Server
	transport *http.Transport
}

func (p passage) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect {
		r.RequestURI = r.URL.RequestURI() // as it arrives without a proxy
		p.server.ServeHTTP(w, r)
		return
	}
	site, err := p.transport.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer site.Close()
	program, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer program.Close()
	io.WriteString(program, "HTTP/1.1 200 OK\r\n\r\n")
	join(program, site)
}

// join copies what either side sends to the other, until both have ended.
func join(a, b net.Conn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		io.Copy(a, b)
		a.Close()
	}()
	io.Copy(b, a)
	b.Close()
	<-done
}

package child

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"
)

// told returns the environment that a command has, and the URL of its proxy. look is called
// while its files are there.
func told(t *testing.T, own environment, ca []byte, look func(environment)) {
	f, err := newFolder()
	require.NoError(t, err)
	defer f.remove()
	env, err := environmentOf(own, testGate(ca), f)
	require.NoError(t, err)
	look(env)
}

// Whatever name a library looks for leads to the proxy, and none to the user's own.
func TestVariablesOfProxy(t *testing.T) {
	own := environment{"http_proxy=http://own.example/", "HTTPS_PROXY=http://own.example/", "All_Proxy=kept", "NO_PROXY=example.com", "OTHER=kept"}
	told(t, own, newCA(t, "proxy"), func(env environment) {
		for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "ws_proxy", "wss_proxy"} {
			assert.Equal(t, "http://127.0.0.1:3128/", env.get(name))
			assert.Equal(t, "http://127.0.0.1:3128/", env.get(strings.ToUpper(name)))
		}
		assert.Equal(t, "localhost,127.0.0.1,::1", env.get("no_proxy"))
		assert.Equal(t, "localhost,127.0.0.1,::1", env.get("NO_PROXY"))
		assert.Equal(t, "1", env.get("NODE_USE_ENV_PROXY"))
		assert.Equal(t, "kept", env.get("OTHER"))
		names := make(map[string]int)
		for _, variable := range env {
			name, _, _ := strings.Cut(variable, "=")
			names[name]++
			assert.Equal(t, 1, names[name], name)
			assert.NotContains(t, variable, "own.example")
		}
	})
}

// The user's certificates stay trusted, and the proxy's is trusted, too.
func TestFilesOfCertificates(t *testing.T) {
	roots := filepath.Join(t.TempDir(), "roots.pem")
	site, proxy := newCA(t, "site"), newCA(t, "proxy")
	require.NoError(t, os.WriteFile(roots, append([]byte("# a comment\n"), site...), 0o600))
	told(t, environment{"SSL_CERT_FILE=" + roots}, proxy, func(env environment) {
		assert.Equal(t, []string{"site", "proxy"}, namesIn(t, env.get("SSL_CERT_FILE")))
		assert.Equal(t, env.get("SSL_CERT_FILE"), env.get("REQUESTS_CA_BUNDLE"))
		assert.Equal(t, []string{"proxy"}, namesIn(t, env.get("NODE_EXTRA_CA_CERTS")))
		_, path, _ := strings.Cut(env.get("JAVA_TOOL_OPTIONS"), "trustStore=")
		path, _, _ = strings.Cut(path, " ")
		store, err := os.ReadFile(path)
		require.NoError(t, err)
		certs, err := pkcs12.DecodeTrustStore(store, "changeit")
		require.NoError(t, err)
		assert.Len(t, certs, 2)
	})
}

// Without roots of the system, there is the certificate of the proxy.
func TestNoRoots(t *testing.T) {
	told(t, environment{"SSL_CERT_FILE=/none"}, newCA(t, "proxy"), func(env environment) {
		assert.Equal(t, []string{"proxy"}, namesIn(t, env.get("CURL_CA_BUNDLE")))
	})
}

func namesIn(t *testing.T, file string) (names []string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, c := range certificates(text) {
		names = append(names, c.Subject.CommonName)
	}
	return names
}

// The user's own settings of wget and of Java still hold.
func TestOwnSettings(t *testing.T) {
	home, rc := t.TempDir(), filepath.Join(t.TempDir(), "rc")
	require.NoError(t, os.WriteFile(rc, []byte("timeout = 5"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".wgetrc"), []byte("tries = 2"), 0o600))
	for _, test := range []struct {
		own  environment
		want string // before the certificates
	}{
		{environment{"HOME=" + home, "WGETRC=" + rc}, "timeout = 5\n"},
		{environment{"HOME=" + home}, "tries = 2\n"},
		{environment{"HOME=/none"}, ""},
		{nil, ""},
	} {
		told(t, test.own, newCA(t, "proxy"), func(env environment) {
			text, err := os.ReadFile(env.get("WGETRC"))
			require.NoError(t, err)
			own, ours, _ := strings.Cut(string(text), "ca_certificate")
			assert.Equal(t, test.want, own)
			assert.Equal(t, " = "+env.get("SSL_CERT_FILE")+"\nuse_proxy = on\nhttp_proxy = http://127.0.0.1:3128/\nhttps_proxy = http://127.0.0.1:3128/\n", ours)
		})
	}
	told(t, environment{"JAVA_TOOL_OPTIONS=-Xmx1g"}, newCA(t, "proxy"), func(env environment) {
		assert.Contains(t, env.get("JAVA_TOOL_OPTIONS"), " -Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=3128 ")
		assert.True(t, strings.HasPrefix(env.get("JAVA_TOOL_OPTIONS"), "-Xmx1g -D"))
	})
}

// What is told to a program takes little time.
func BenchmarkEnvironment(b *testing.B) {
	ca := newCA(b, "proxy")
	f, err := newFolder()
	require.NoError(b, err)
	defer f.remove()
	for b.Loop() {
		_, err := environmentOf(os.Environ(), testGate(ca), f)
		require.NoError(b, err)
	}
}

package webbotauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A base takes requests.
type base struct {
	got    *http.Request
	closed bool
}

func (b *base) RoundTrip(req *http.Request) (*http.Response, error) {
	b.got = req
	return &http.Response{StatusCode: 200, Body: http.NoBody}, nil
}

func (b *base) CloseIdleConnections() { b.closed = true }

// A keyStore has a key and counts how often it signs.
type keyStore struct {
	crypto.Signer
	signed atomic.Int32
	fails  bool
}

func (k *keyStore) Sign(r io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if k.signed.Add(1); k.fails {
		return nil, errors.New("the key store is closed")
	}
	return k.Signer.Sign(r, message, opts)
}

var inputForm = regexp.MustCompile(`^sig1=(\(("[^)]*)\);created=(\d+);expires=(\d+);keyid="([\w-]{43})";nonce="(\w{26})";tag="web-bot-auth")$`)

// verified checks the signature of a request as a site does that reads RFC 9421 §3.2, and
// returns when it expires.
func verified(t *testing.T, req *http.Request, public ed25519.PublicKey) (expires string) {
	t.Helper()
	input := inputForm.FindStringSubmatch(req.Header.Get("Signature-Input"))
	require.NotNil(t, input, req.Header)
	agent := req.Header.Get("Signature-Agent")
	values := map[string]string{
		`"@authority"`: req.URL.Host, `"@method"`: req.Method, `"@path"`: req.URL.Path,
		`"signature-agent"`: agent, `"signature-agent";key="sig1"`: strings.TrimPrefix(agent, "sig1="),
	}
	lines := ""
	for name := range strings.FieldsSeq(input[2]) {
		require.Contains(t, values, name)
		lines += name + ": " + values[name] + "\n"
	}
	sum, err := base64.StdEncoding.DecodeString(strings.Trim(strings.TrimPrefix(req.Header.Get("Signature"), "sig1="), ":"))
	require.NoError(t, err)
	assert.True(t, ed25519.Verify(public, []byte(lines+`"@signature-params": `+input[1]), sum), lines)
	return input[4]
}

// A site can verify a request in both forms. The request of the caller does not change.
func TestRoundTrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := testKey(t)
		public := key.Signer.Public().(ed25519.PublicKey)
		for _, test := range []struct {
			legacy      bool
			life        time.Duration
			agent       string
			wantExpires time.Duration
		}{
			{false, 0, `sig1="https://bot.example/.well-known/http-message-signatures-directory"`, time.Minute},
			{true, time.Hour, `"https://bot.example"`, time.Hour},
			{false, year, `sig1="https://bot.example/.well-known/http-message-signatures-directory"`, day},
		} {
			to := new(base)
			transport := &Transport{&Identity{Origin: "https://bot.example", Keys: []Key{key}, Life: test.life, Legacy: test.legacy}, to}
			req, err := http.NewRequest(http.MethodPost, "https://a.example/p?q=1", nil)
			require.NoError(t, err)
			_, err = transport.RoundTrip(req)
			require.NoError(t, err)
			assert.Empty(t, req.Header)
			assert.Equal(t, test.agent, to.got.Header.Get("Signature-Agent"))
			expires := verified(t, to.got, public)
			assert.Equal(t, time.Now().Add(test.wantExpires).Unix(), seconds(parseUnix(t, expires)))
			transport.CloseIdleConnections()
			assert.True(t, to.closed)
		}
	})
}

func parseUnix(t *testing.T, text string) time.Time {
	d, err := time.ParseDuration(text + "s")
	require.NoError(t, err)
	return time.Unix(int64(d.Seconds()), 0)
}

type body struct {
	strings.Reader
	closed bool
}

func (b *body) Close() error { b.closed = true; return nil }

// What cannot be signed is not sent. The error says why, and the body is closed.
func TestUnsigned(t *testing.T) {
	good := testKey(t)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	identity := func(origin string, keys ...Key) *Identity { return &Identity{Origin: origin, Keys: keys} }
	for name, test := range map[string]struct {
		identity *Identity
		want     string
	}{
		"nobody":         {nil, "say who signs"},
		"no key":         {identity("https://bot.example"), "Keys is empty"},
		"no signer":      {identity("https://bot.example", good, Key{}), "without a Signer"},
		"another key":    {identity("https://bot.example", Key{Signer: other}), "not one of Ed25519"},
		"a closed store": {identity("https://bot.example", Key{Signer: &keyStore{Signer: good.Signer, fails: true}}), "the key store is closed"},
		"too early":      {identity("https://bot.example", Key{Signer: good.Signer, NotBefore: time.Now().Add(day)}), "no key may sign now"},
		"no origin":      {identity("", good), "write one like"},
		"no TLS":         {identity("http://bot.example", good), "write one like"},
		"a path":         {identity("https://bot.example/", good), "write one like"},
		"upper case":     {identity("https://Bot.example", good), "write one like"},
		"a user":         {identity("https://user@bot.example", good), "write one like"},
		"no host":        {identity("https://:8443", good), "write one like"},
		"DEL":            {identity("https://bot\x7f.example", good), "write one like"},
		"a quote":        {identity(`https://bot".example`, good), "write one like"},
		"a backslash":    {identity(`https://bot\.example`, good), "write one like"},
		"a space":        {identity("https://bot .example", good), "write one like"},
		"not ASCII":      {identity("https://böt.example", good), "write one like"},
	} {
		to, sent := new(base), new(body)
		req := &http.Request{Method: http.MethodPost, URL: &url.URL{Scheme: "https", Host: "a.example"}, Body: sent}
		_, err := (&Transport{test.identity, to}).RoundTrip(req)
		assert.ErrorContains(t, err, test.want, name)
		assert.Nil(t, to.got, name)
		assert.True(t, sent.closed, name)
	}
	assert.NoError(t, identity("https://[2001:db8::1]:8443", good).check())
	assert.NoError(t, identity("https://bot~.example", good).check())
}

// The authority is what a server sees, without the port of the scheme (RFC 9421 §2.2.3).
func TestAuthority(t *testing.T) {
	for _, test := range []struct{ url, host, want string }{
		{"https://a.example/", "", "a.example"},
		{"https://A.Example:443/", "", "a.example"},
		{"http://a.example:80/", "", "a.example"},
		{"http://a.example:443/", "", "a.example:443"},
		{"https://a.example:8443/", "", "a.example:8443"},
		{"https://[::1]:443/", "", "[::1]"},
		{"https://192.0.2.1/", "a.example", "a.example"},
	} {
		u, err := url.Parse(test.url)
		require.NoError(t, err)
		assert.Equal(t, test.want, authority(&http.Request{URL: u, Host: test.host}), test.url)
	}
}

// A crowd that asks for the directory costs one signature of each key an hour. The answer does
// not depend on the host that the request names.
func TestServeHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, two := &keyStore{Signer: testKey(t).Signer}, &keyStore{Signer: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))}
		identity := &Identity{Origin: "https://bot.example:443", Keys: []Key{{Signer: one}, {Signer: two}}}
		serve := func(method, host string) *http.Response {
			w := httptest.NewRecorder()
			identity.ServeHTTP(w, httptest.NewRequest(method, "https://"+host+DirectoryPath, nil))
			return w.Result()
		}
		text := func(resp *http.Response) string {
			text, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			return string(text)
		}
		first := serve(http.MethodGet, "bot.example")
		_, published, err := identity.published(time.Now())
		require.NoError(t, err)
		assert.Equal(t, string(published), text(first))
		assert.Empty(t, text(serve(http.MethodHead, "bot.example")))
		assert.Equal(t, "application/http-message-signatures-directory+json", first.Header.Get("Content-Type"))
		assert.Regexp(t, `^sig1=\("@authority";req "content-digest"\);created=.*, sig2=\("@authority";req "content-digest"\);created=`, first.Header.Get("Signature-Input"))
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() { assert.Equal(t, first.Header, serve(http.MethodHead, "mirror.example").Header) })
		}
		all.Wait()
		assert.EqualValues(t, 1, one.signed.Load())
		assert.EqualValues(t, 1, two.signed.Load())
		time.Sleep(time.Hour)
		assert.NotEqual(t, first.Header, serve(http.MethodGet, "bot.example").Header)

		wrong := serve(http.MethodPost, "bot.example")
		assert.Equal(t, 405, wrong.StatusCode)
		assert.Equal(t, "GET, HEAD", wrong.Header.Get("Allow"))
		assert.Equal(t, "use GET\n", text(wrong))
		one.fails = true
		time.Sleep(time.Hour)
		failed := serve(http.MethodGet, "bot.example")
		assert.Equal(t, 500, failed.StatusCode)
		assert.Equal(t, "no keys\n", text(failed))
		assert.Empty(t, failed.Header.Get("Signature"))
	})
}

func TestParseKey(t *testing.T) {
	signer, err := ParseKey(inPEM(t, testKey(t).Signer))
	require.NoError(t, err)
	public, err := Key{Signer: signer}.jwk()
	require.NoError(t, err)
	assert.Equal(t, testID, public.ID)
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	for want, file := range map[string][]byte{
		"no key in PEM":      []byte("key"),
		"not in PKCS #8":     []byte("-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n"),
		"not one of Ed25519": inPEM(t, other),
	} {
		signer, err := ParseKey(file)
		assert.ErrorContains(t, err, want)
		assert.Nil(t, signer)
	}
}

func inPEM(t *testing.T, key any) []byte {
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})
}

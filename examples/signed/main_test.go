package main

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/webbotauth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yaronf/httpsign"
)

// A keyStore counts how often it signs.
type keyStore struct {
	ed25519.PrivateKey
	signed atomic.Int32
}

func (k *keyStore) Sign(r io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	k.signed.Add(1)
	return k.PrivateKey.Sign(r, message, opts)
}

const (
	origin    = "https://bot.example"
	directory = origin + webbotauth.DirectoryPath

	label = "sig1" // of the signatures

	day = 24 * time.Hour
)

func newTestIdentity(t *testing.T) (*webbotauth.Identity, *keyStore) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	store := &keyStore{PrivateKey: key}
	return &webbotauth.Identity{Origin: origin, Keys: []webbotauth.Key{{Signer: store}}}, store
}

// newWeb returns sites that redirect robots.txt and pages, and the agent's directory.
func newWeb(t *testing.T, id *webbotauth.Identity) (*origintest.Server, *verifier) {
	web := origintest.NewInMemory(t)
	web.Page("bot.example", webbotauth.DirectoryPath, id.ServeHTTP)
	web.Robots("a.example", origintest.Redirect("https://www.a.example:8443/robots.txt"))
	web.Robots("www.a.example:8443", origintest.Text("user-agent: *\ndisallow: /private\n"))
	web.Page("a.example", "/moved", origintest.Redirect("http://B.example:80/p%2f%41%20?q=%41"))
	web.Page("a.example", "/trap", origintest.Redirect("/private/trap"))
	return web, &verifier{client: &http.Client{Transport: web.Transport(t)}, seen: make(map[string]bool)}
}

// Every request that arrives is signed, for robots.txt and for pages, redirects
// included. A request that polite refuses is not even signed.
func TestEveryRequestIsSigned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id, store := newTestIdentity(t)
		web, site := newWeb(t, id)
		client := newClient(id, web.Transport(t))
		client.Transport.(*polite.Transport).Pace.MinDelay = 10 * time.Minute // longer than a signature lasts
		for _, u := range []string{"https://a.example", "https://A.example:443/2?x=1", "https://a.example/moved"} {
			assert.NoError(t, fetch(client, u), u)
		}
		for _, u := range []string{"https://a.example/private", "https://a.example/trap"} {
			assert.ErrorIs(t, fetch(client, u), polite.ErrDisallowed, u)
		}

		log := web.Take()
		assert.Equal(t, strings.Join([]string{
			"GET https://a.example/robots.txt", "GET https://www.a.example:8443/robots.txt",
			"GET https://a.example/", "GET https://a.example/2?x=1", "GET https://a.example/moved",
			"GET http://b.example/robots.txt", "GET http://b.example/p%2f%41%20?q=%41",
			"GET https://a.example/trap", "",
		}, "\n"), log.String())
		assert.EqualValues(t, len(log), store.signed.Load())
		for _, a := range log {
			assert.NoError(t, site.verify(a, a.Time), a.URI)
		}
		assert.Len(t, site.seen, len(log))
	})
}

// A signature is refused for another site, another page, another agent or another key,
// when it has expired, and when it comes a second time.
func TestReplay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id, _ := newTestIdentity(t)
		web, site := newWeb(t, id)
		stranger, _ := newTestIdentity(t)
		web.Page("stranger.example", webbotauth.DirectoryPath, stranger.ServeHTTP)
		web.Page("mirror.example", webbotauth.DirectoryPath, id.ServeHTTP)
		require.NoError(t, fetch(newClient(id, web.Transport(t)), "https://a.example/1"))
		sent := web.Take().At("a.example").Pages()[0]
		for name, change := range map[string]func(a *origintest.Arrival){
			"another site":   func(a *origintest.Arrival) { a.Host = "b.example" },
			"another port":   func(a *origintest.Arrival) { a.Host += ":8443" },
			"another page":   func(a *origintest.Arrival) { a.URI = "/2" },
			"another method": func(a *origintest.Arrival) { a.Method = http.MethodPost },
			"another agent": func(a *origintest.Arrival) {
				a.Header.Set("Signature-Agent", `sig1="https://mirror.example`+webbotauth.DirectoryPath+`"`)
			},
			"another key": func(a *origintest.Arrival) {
				a.Header.Set("Signature-Agent", `sig1="https://stranger.example`+webbotauth.DirectoryPath+`"`)
			},
			"no agent":        func(a *origintest.Arrival) { a.Header.Del("Signature-Agent") },
			"no signature":    func(a *origintest.Arrival) { a.Header.Del("Signature") },
			"a longer life":   func(a *origintest.Arrival) { edit(a, fmt.Sprint(a.Time.Add(time.Minute).Unix()), "4889289600") },
			"another nonce":   func(a *origintest.Arrival) { edit(a, `nonce="`, `nonce="A`) },
			"another tag":     func(a *origintest.Arrival) { edit(a, "web-bot-auth", "other") },
			"less covered":    func(a *origintest.Arrival) { edit(a, `"@authority" `, "") },
			"expired":         func(a *origintest.Arrival) { a.Time = a.Time.Add(time.Minute) },
			"not yet created": func(a *origintest.Arrival) { a.Time = a.Time.Add(-time.Second) },
		} {
			replayed := sent
			replayed.Header = sent.Header.Clone()
			change(&replayed)
			assert.Error(t, site.verify(replayed, replayed.Time), name)
			clear(site.seen)
		}
		assert.NoError(t, site.verify(sent, sent.Time))
		assert.ErrorContains(t, site.verify(sent, sent.Time), "twice")
	})
}

func edit(a *origintest.Arrival, old, new string) {
	input := a.Header.Get("Signature-Input")
	a.Header.Set("Signature-Input", strings.Replace(input, old, new, 1))
}

// The directory has the public key, and proves whose key it is. The proof is good for longer
// than a cache may keep the directory.
func TestDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id, store := newTestIdentity(t)
		_, site := newWeb(t, id)
		resp, err := site.client.Get(directory)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		assert.Equal(t, "application/http-message-signatures-directory+json", resp.Header.Get("Content-Type"))
		x := base64.RawURLEncoding.EncodeToString(store.Public().(ed25519.PublicKey))
		kid := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`)) // RFC 7638 §3
		assert.JSONEq(t, fmt.Sprintf(`{"keys": [{"kty": "OKP", "crv": "Ed25519", "use": "sig", "kid": %q, "x": %q}]}`, base64.RawURLEncoding.EncodeToString(kid[:]), x), string(body))

		content := io.NopCloser(bytes.NewReader(body))
		assert.NoError(t, httpsign.ValidateContentDigestHeader(resp.Header.Values("Content-Digest"), &content, []string{httpsign.DigestSha256}))
		covered := httpsign.NewFields()
		covered.AddHeaderExt("@authority", false, false, true, false).AddHeader("content-digest")
		config := httpsign.NewVerifyConfig().SetAllowedTags([]string{"http-message-signatures-directory"})
		library, err := httpsign.NewEd25519Verifier(store.Public().(ed25519.PublicKey), config, *covered)
		require.NoError(t, err)
		assert.NoError(t, httpsign.VerifyResponse(label, *library, resp, request(t, "bot.example")))
		assert.Error(t, httpsign.VerifyResponse(label, *library, resp, request(t, "mirror.example")))
		details, err := httpsign.ResponseDetails(label, resp)
		require.NoError(t, err)
		assert.Equal(t, "max-age=86400", resp.Header.Get("Cache-Control"))
		assert.Equal(t, 7*day, details.Expires.Sub(*details.Created))
	})
}

func request(t *testing.T, host string) *http.Request {
	req, err := http.NewRequest(http.MethodGet, "https://"+host+webbotauth.DirectoryPath, nil)
	require.NoError(t, err)
	return req
}

// Nothing that is sent or served has the private key in it.
func TestKeyStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id, store := newTestIdentity(t)
		web, site := newWeb(t, id)
		require.NoError(t, fetch(newClient(id, web.Transport(t)), "https://a.example/moved"))
		all := new(strings.Builder)
		for _, a := range web.Log() {
			fmt.Fprintln(all, a.URI, a.Header)
		}
		resp, err := site.client.Get(directory)
		require.NoError(t, err)
		defer resp.Body.Close()
		require.NoError(t, resp.Write(all))
		public, secret := store.Public().(ed25519.PublicKey), store.Seed()
		assert.Contains(t, all.String(), base64.RawURLEncoding.EncodeToString(public)) // so this test looks in the right place
		for _, form := range []string{
			string(secret), hex.EncodeToString(secret), base64.RawStdEncoding.EncodeToString(secret), base64.RawURLEncoding.EncodeToString(secret),
		} {
			assert.NotContains(t, all.String(), form)
		}
	})
}

// The library verifies the draft's own example (appendix E.2). So it verifies what the
// draft describes.
func TestDraftExample(t *testing.T) {
	key, err := base64.RawURLEncoding.DecodeString("JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs")
	require.NoError(t, err)
	req := request(t, "example.com")
	req.Header.Set("Signature-Agent", `agent2="https://signature-agent.test"`)
	req.Header.Set("Signature-Input", `sig2=("@authority" "signature-agent";key="agent2");created=1735689600`+
		`;keyid="poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U";alg="ed25519";expires=4889289600`+
		`;nonce="n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA==";tag="web-bot-auth"`)
	req.Header.Set("Signature", "sig2=:RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==:")
	config := httpsign.NewVerifyConfig().SetVerifyCreated(false)
	assert.NoError(t, check(req, "sig2", "agent2", key, config, "@authority"))
	req.Host = "other.example"
	assert.Error(t, check(req, "sig2", "agent2", key, config, "@authority"))
}

// A key is read from a file. A file without one is an error at once, which names the file.
func TestReadIdentity(t *testing.T) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "key.pem")
	require.NoError(t, os.WriteFile(file, inPEM(t, key), 0o600))
	id, err := readIdentity(file, origin)
	require.NoError(t, err)
	assert.Equal(t, key.Public(), id.Keys[0].Signer.Public())
	require.NoError(t, os.WriteFile(file, []byte("key"), 0o600))
	_, err = readIdentity(file, origin)
	assert.ErrorContains(t, err, "key.pem: webbotauth: no key in PEM")
	_, err = readIdentity(filepath.Join(t.TempDir(), "none"), origin)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func inPEM(t *testing.T, key any) []byte {
	bytes, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: bytes})
}

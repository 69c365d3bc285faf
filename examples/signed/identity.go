package main

import (
	"cmp"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// An identity signs by draft-ietf-webbotauth-httpsig-protocol-01, of October 2026. A §
// without an RFC is of this draft. The draft replaces two others,
// draft-meunier-web-bot-auth-architecture and
// draft-meunier-http-message-signatures-directory. It still changes: read the newest
// version, and ask which version your sites accept.
type identity struct {
	key  crypto.Signer // of Ed25519; the key may stay in a key store
	jwk  jwk
	host string // which publishes the key
	url  string // of the directory with the key
}

// A jwk is a public key in the form of a directory (§5.5.1, RFC 8037 §2).
type jwk struct {
	Type  string `json:"kty"`
	Curve string `json:"crv"`
	ID    string `json:"kid"`
	X     string `json:"x"`
	Use   string `json:"use"`
}

// directoryPath is the path of the directory of keys on an origin (§8.1).
const directoryPath = "/.well-known/http-message-signatures-directory"

// newIdentity returns the identity of an origin that publishes the public half of key.
func newIdentity(key crypto.Signer, origin string) (*identity, error) {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("the key is a %T, and not one of Ed25519", key.Public())
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || origin != "https://"+strings.ToLower(u.Host) {
		return nil, fmt.Errorf("%q is not an origin like https://bot.example.com", origin)
	}
	x := base64.RawURLEncoding.EncodeToString(public)
	return &identity{
		key: key, jwk: jwk{Type: "OKP", Curve: "Ed25519", ID: thumbprint(x), X: x, Use: "sig"},
		host: u.Host, url: origin + directoryPath, // in version -00 of the draft, url was the origin alone
	}, nil
}

// thumbprint returns the SHA-256 thumbprint of a public key (RFC 7638 §3, RFC 8037
// appendix A.3).
func thumbprint(x string) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

const label = "sig1"

// sign adds a signature to req (§5.2.5). The draft demands to cover the authority, and
// advises to cover more (§5.2). As it covers the method and the path, an eavesdropper can
// repeat the request until the signature expires, but cannot ask for another page.
func (i *identity) sign(req *http.Request) error {
	agent := fmt.Sprintf("%q", i.url)
	input, signature, err := i.seal("web-bot-auth", time.Minute,
		component{`"@authority"`, authority(req)},
		component{`"@method"`, cmp.Or(req.Method, http.MethodGet)},
		component{`"@path"`, cmp.Or(req.URL.EscapedPath(), "/")},
		component{`"signature-agent";key="` + label + `"`, agent}, // §5.2.1
	)
	if err != nil {
		return err
	}
	req.Header.Set("Signature-Agent", label+"="+agent)
	req.Header.Set("Signature-Input", input)
	req.Header.Set("Signature", signature)
	return nil
}

// authority returns the host that req is sent to (RFC 9421 §2.2.3).
func authority(req *http.Request) string {
	port := map[string]string{"http": ":80", "https": ":443"}[req.URL.Scheme]
	return strings.TrimSuffix(strings.ToLower(cmp.Or(req.Host, req.URL.Host)), port)
}

// A component is a part of a message that a signature covers (RFC 9421 §2).
type component struct{ name, value string }

// seal returns the Signature-Input and the Signature of a message (RFC 9421 §3.1, §4).
func (i *identity) seal(tag string, life time.Duration, covered ...component) (input, signature string, err error) {
	var names []string
	var base strings.Builder
	for _, c := range covered {
		names = append(names, c.name)
		base.WriteString(c.name + ": " + c.value + "\n")
	}
	now := time.Now()
	params := fmt.Sprintf("(%s);created=%d;expires=%d;keyid=%q;nonce=%q;tag=%q",
		strings.Join(names, " "), now.Unix(), now.Add(life).Unix(), i.jwk.ID, rand.Text(), tag)
	base.WriteString(`"@signature-params": ` + params)
	sum, err := i.key.Sign(rand.Reader, []byte(base.String()), crypto.Hash(0))
	if err != nil {
		return "", "", err
	}
	return label + "=" + params, label + "=" + binary(sum), nil
}

// binary returns b in the form of a structured field (RFC 9651 §3.3.5).
func binary(b []byte) string { return ":" + base64.StdEncoding.EncodeToString(b) + ":" }

const day = 24 * time.Hour

// ServeHTTP serves the directory of keys (§5.5.1). The signature proves that host holds
// the key, and did not copy the directory (appendix B.1).
func (i *identity) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	body, err := json.Marshal(map[string][]jwk{"keys": {i.jwk}})
	if err != nil {
		http.Error(w, "no keys", http.StatusInternalServerError)
		return
	}
	sum := sha256.Sum256(body)
	digest := "sha-256=" + binary(sum[:]) // RFC 9530 §2
	input, signature, err := i.seal("http-message-signatures-directory", day,
		component{`"@authority";req`, i.host},
		component{`"content-digest"`, digest},
	)
	if err != nil {
		http.Error(w, "no signature", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/http-message-signatures-directory+json")
	w.Header().Set("Cache-Control", "max-age=86400")
	w.Header().Set("Content-Digest", digest)
	w.Header().Set("Signature-Input", input)
	w.Header().Set("Signature", signature)
	w.Write(body)
}

package webbotauth

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"time"
)

// A Key signs requests from NotBefore on, and is published until NotAfter. The zero times are
// no limits.
type Key struct {
	Signer    crypto.Signer // of Ed25519; safe for concurrent use
	NotBefore time.Time
	NotAfter  time.Time
}

const day = 24 * time.Hour

// ParseKey returns the private key in a PEM file, in the form PKCS #8. It returns an error if
// the key is not one of Ed25519.
func ParseKey(file []byte) (crypto.Signer, error) {
	block, _ := pem.Decode(file)
	if block == nil {
		return nil, errors.New("webbotauth: no key in PEM: make one by openssl genpkey -algorithm ed25519")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("webbotauth: a key in PEM that is not in PKCS #8: %w", err)
	}
	signer, _ := key.(crypto.Signer)
	if _, err = (Key{Signer: signer}).jwk(); err != nil {
		return nil, err
	}
	return signer, nil
}

// A jwk is a public key as a directory has it (§5.5.1, RFC 8037 §2).
type jwk struct {
	Type      string `json:"kty"`
	Curve     string `json:"crv"`
	ID        string `json:"kid"`
	X         string `json:"x"`
	Use       string `json:"use"`
	NotBefore int64  `json:"nbf,omitempty"`
	NotAfter  int64  `json:"exp,omitempty"`
}

// jwk returns the public half of k.
func (k Key) jwk() (jwk, error) {
	if k.Signer == nil {
		return jwk{}, errors.New("webbotauth: a Key without a Signer: use ParseKey, or a key store")
	}
	public, ok := k.Signer.Public().(ed25519.PublicKey)
	if !ok {
		return jwk{}, fmt.Errorf("webbotauth: a key with %T, and not one of Ed25519: make one by openssl genpkey -algorithm ed25519", k.Signer.Public())
	}
	x := base64.RawURLEncoding.EncodeToString(public)
	return jwk{"OKP", "Ed25519", thumbprint(x), x, "sig", seconds(k.NotBefore), seconds(k.NotAfter)}, nil
}

// A holder is a Key with its public half.
type holder struct {
	Key
	public jwk
}

// seconds returns the Unix time, or 0 if there is none.
func seconds(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// thumbprint returns the SHA-256 thumbprint of a public key (RFC 7638 §3, RFC 8037
// appendix A.3).
func thumbprint(x string) string {
	sum := sha256.Sum256([]byte(`{"crv":"Ed25519","kty":"OKP","x":"` + x + `"}`))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// signs reports whether k may sign at now.
func (k Key) signs(now time.Time) bool { return !now.Before(k.NotBefore) && !k.isOver(now) }

// isOver reports whether k is not published any more at now.
func (k Key) isOver(now time.Time) bool { return !k.NotAfter.IsZero() && !now.Before(k.NotAfter) }

// until returns when a signature ends that is made now, and lasts so long: not after the key.
func (k Key) until(now time.Time, life time.Duration) time.Time {
	end := now.Add(life)
	if !k.NotAfter.IsZero() && k.NotAfter.Before(end) {
		return k.NotAfter
	}
	return end
}

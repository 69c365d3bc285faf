package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/yaronf/httpsign"
)

// A verifier is a site that checks signatures, with a library that knows nothing of the
// signer. It has no clock: it judges a request by its time of arrival.
type verifier struct {
	client *http.Client // asks for directories
	seen   map[string]bool
}

// verify returns an error if an arrival is not from the agent that it names.
func (v *verifier) verify(a origintest.Arrival, now time.Time) error {
	req, err := arrived(a)
	if err != nil {
		return err
	}
	details, err := httpsign.RequestDetails(label, req)
	if err != nil {
		return err
	}
	if details.KeyID == nil || details.Created == nil || details.Expires == nil || details.Nonce == nil {
		return errors.New("a parameter is missing")
	}
	if now.Before(*details.Created) || !now.Before(*details.Expires) {
		return errors.New("not valid at this time")
	}
	key, err := v.resolve(a.Header, *details.KeyID)
	if err != nil {
		return err
	}
	config := httpsign.NewVerifyConfig().SetVerifyCreated(false).SetRejectExpired(false).
		SetKeyID(*details.KeyID).SetAllowedTags([]string{"web-bot-auth"}).SetNonceValidator(v.once)
	return check(req, label, label, key, config, "@authority", "@method", "@path")
}

// check verifies a signature of req that covers a member of its Signature-Agent and some
// components.
func check(req *http.Request, name, member string, key ed25519.PublicKey, config *httpsign.VerifyConfig, components ...string) error {
	covered := httpsign.Headers(components...)
	covered.AddDictHeader("signature-agent", member)
	library, err := httpsign.NewEd25519Verifier(key, config, covered)
	if err != nil {
		return err
	}
	return httpsign.VerifyRequest(name, *library, req)
}

// arrived returns an arrival as a server sees it. The library wants the authority without
// the port of the scheme.
func arrived(a origintest.Arrival) (*http.Request, error) {
	scheme, port := "http", ":80"
	if a.TLS {
		scheme, port = "https", ":443"
	}
	u, err := url.Parse(scheme + "://" + a.Host + a.URI)
	return &http.Request{Method: a.Method, URL: u, Host: strings.TrimSuffix(strings.ToLower(a.Host), port), Header: a.Header, Body: http.NoBody}, err
}

// resolve asks the Signature-Agent for a key.
func (v *verifier) resolve(header http.Header, keyID string) (ed25519.PublicKey, error) {
	agents, err := httpsfv.UnmarshalDictionary(header.Values("Signature-Agent"))
	if err != nil {
		return nil, err
	}
	member, _ := agents.Get(label)
	item, _ := member.(httpsfv.Item)
	resp, err := v.client.Get(fmt.Sprint(item.Value))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var directory struct {
		Keys []struct{ Kty, Crv, Kid, X string }
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&directory); err != nil {
		return nil, err
	}
	for _, k := range directory.Keys {
		if k.Kid == keyID && k.Kty == "OKP" && k.Crv == "Ed25519" {
			return base64.RawURLEncoding.DecodeString(k.X)
		}
	}
	return nil, errors.New("the directory does not have the key")
}

// once returns an error for a nonce that was seen before.
func (v *verifier) once(nonce string) error {
	if v.seen[nonce] {
		return errors.New("a nonce came twice")
	}
	v.seen[nonce] = true
	return nil
}

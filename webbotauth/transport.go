package webbotauth

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Transport signs requests, and sends them. It belongs below polite, as its Base. A request
// that cannot be signed is not sent. It is safe for concurrent use.
type Transport struct {
	Identity *Identity

	// Base sends the requests. If it is nil, http.DefaultTransport does.
	Base http.RoundTripper
}

// RoundTrip signs a copy of req, and sends it. It returns an error if the Identity cannot sign.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	signed := req.Clone(req.Context()) // a RoundTripper does not change the request
	if signed.Header == nil {
		signed.Header = make(http.Header)
	}
	if err := t.sign(signed); err != nil {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, err
	}
	return t.base().RoundTrip(signed)
}

// CloseIdleConnections closes the idle connections of Base, if Base can do so.
func (t *Transport) CloseIdleConnections() {
	if base, ok := t.base().(interface{ CloseIdleConnections() }); ok {
		base.CloseIdleConnections()
	}
}

func (t *Transport) base() http.RoundTripper {
	if t.Base != nil {
		return t.Base
	}
	return http.DefaultTransport
}

func (t *Transport) sign(req *http.Request) error {
	if t.Identity == nil {
		return errors.New("webbotauth: Transport.Identity is nil: say who signs")
	}
	return t.Identity.sign(req)
}

// sign adds a signature to req (§5.2.5). The draft demands to cover the authority, and advises
// to cover more (§5.2).
func (i *Identity) sign(req *http.Request) error {
	if err := i.check(); err != nil {
		return err
	}
	now := time.Now()
	key, err := i.signer(now)
	if err != nil {
		return err
	}
	path, _, _ := strings.Cut(req.URL.RequestURI(), "?")
	field, agent := i.agent()
	params := fmt.Sprintf(`;created=%d;expires=%d;keyid=%q;nonce=%q;tag="web-bot-auth"`, now.Unix(), key.until(now, i.life()).Unix(), key.public.ID, rand.Text())
	input, signature, err := key.seal([]component{
		{`"@authority"`, authority(req)},
		{`"@method"`, cmp.Or(req.Method, http.MethodGet)},
		{`"@path"`, path},
		agent,
	}, params)
	if err != nil {
		return err
	}
	req.Header.Set("Signature-Agent", field)
	req.Header.Set("Signature-Input", label+"="+input)
	req.Header.Set("Signature", label+"="+signature)
	return nil
}

const label = "sig1"

// agent returns the Signature-Agent, and the component that covers it (§5.2.1).
func (i *Identity) agent() (field string, covered component) {
	if i.Legacy {
		field = `"` + i.Origin + `"`
		return field, component{`"signature-agent"`, field}
	}
	directory := `"` + i.Origin + DirectoryPath + `"`
	return label + "=" + directory, component{`"signature-agent";key="` + label + `"`, directory}
}

// authority returns the host that req is sent to (RFC 9421 §2.2.3).
func authority(req *http.Request) string {
	port := map[string]string{"http": ":80", "https": ":443"}[req.URL.Scheme]
	return strings.TrimSuffix(strings.ToLower(cmp.Or(req.Host, req.URL.Host)), port)
}

package child

import "net/url"

// A Gate is a proxy as programs see it.
type Gate struct {
	URL *url.URL // with the user and the password, if the proxy asks for them
	CA  []byte   // the certificate to trust, as PEM
	Pin string   // the key of its certificates, as Chromium's flag takes it
}

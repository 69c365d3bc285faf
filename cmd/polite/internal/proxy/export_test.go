package proxy

import "crypto/x509"

// Certificate returns the certificate that programs have to trust.
func (p *Proxy) Certificate() *x509.Certificate { return p.authority.certificate }

package child

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
)

// rootFiles are where systems keep the certificates that they trust.
func rootFiles() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt",                // Debian, Arch, Gentoo
		"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // CentOS
		"/etc/ssl/ca-bundle.pem",                            // SUSE
		"/etc/ssl/cert.pem",                                 // Alpine, macOS, BSD
	}
}

// systemRoots returns the certificates that programs trust, as PEM: those of the user's
// SSL_CERT_FILE, or those of the system. It is empty if none are found: all that a program
// then reaches without polite is this machine.
func systemRoots(env environment) []byte {
	if own := env.get("SSL_CERT_FILE"); own != "" {
		return firstOf(own)
	}
	return firstOf(rootFiles()...)
}

// join returns texts of PEM as one.
func join(texts ...[]byte) []byte {
	var all []byte
	for _, text := range texts {
		if text = bytes.TrimSpace(text); len(text) > 0 {
			all = append(append(all, text...), '\n')
		}
	}
	return all
}

// certificates returns the certificates in a text of PEM. It skips what it cannot read, as
// other programs do.
func certificates(text []byte) (all []*x509.Certificate) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return all
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, c)
		}
	}
}

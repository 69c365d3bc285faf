package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"strings"
	"time"
)

// An authority makes the certificates that stand for the sites. Its keys are in memory alone,
// so its certificate is worth nothing once the process has ended.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	leafKey     *ecdsa.PrivateKey // of all leaves: a key for each would take longer to make
}

// AuthorityName begins the names of all authorities.
const AuthorityName = "polite proxy "

// newAuthority returns an authority whose certificate holds for life.
func newAuthority(life time.Duration) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leafKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	name := AuthorityName + rand.Text() // programs tell authorities apart by their names
	template := &x509.Certificate{
		SerialNumber: serial(), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-slack), NotAfter: time.Now().Add(life),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{certificate: certificate, key: key, leafKey: leafKey}, nil
}

// slack is how far the clocks of machines may differ.
const slack = time.Hour

func serial() *big.Int {
	random := make([]byte, 16)
	rand.Read(random) // never fails
	random[0] &= 0x7f // positive (RFC 5280 §4.1.2.2)
	return new(big.Int).SetBytes(random)
}

func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// leaf makes a certificate for a host. None is kept: to make one costs about what a handshake does.
func (a *authority) leaf(host string) (*tls.Certificate, error) {
	const longest = 253 // characters of a name that DNS has
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if len(host) == 0 || len(host) > longest {
		return nil, errors.New("no host has such a name")
	}
	template := &x509.Certificate{
		SerialNumber: serial(), NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	const longestName = 64 // RFC 5280, appendix A.1: ub-common-name
	if len(host) <= longestName {
		template.Subject.CommonName = host
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, a.leafKey.Public(), a.key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.leafKey}, nil
}

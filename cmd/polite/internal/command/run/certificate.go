package run

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/proxy"
)

// writeCertificate writes a certificate to a file that everybody may read. It replaces no file but one
// that an earlier proxy has left. When the proxy ends, call remove. It removes the file, unless
// another proxy has replaced it.
func writeCertificate(name string, certificate []byte) (remove func(), err error) {
	if err := vet(name); err != nil {
		return nil, err
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".polite-*") // renamed, so nobody reads a half
	if err != nil {
		return nil, err
	}
	_, err = file.Write(certificate)
	err = errors.Join(err, file.Chmod(0o644), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		os.Remove(file.Name())
		return nil, err
	}
	return func() {
		if now, err := os.ReadFile(name); err == nil && bytes.Equal(now, certificate) {
			os.Remove(name)
		}
	}, nil
}

// vet returns an error if there is a file that no proxy has left.
func vet(name string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	const longest = 16 << 10
	if info.Mode().IsRegular() && info.Size() <= longest {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if isLeft(text) {
			return nil
		}
	}
	return fmt.Errorf("%s is a file of yours: name one that does not exist", name)
}

// isLeft reports whether a text is the certificate of a proxy.
func isLeft(text []byte) bool {
	block, rest := pem.Decode(text)
	if block == nil || len(bytes.TrimSpace(rest)) > 0 {
		return false
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	return err == nil && strings.HasPrefix(certificate.Subject.CommonName, proxy.AuthorityName)
}

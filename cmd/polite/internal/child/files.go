package child

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"

	"software.sslmate.com/src/go-pkcs12"
)

// files are the paths of what a program reads to trust the proxy.
type files struct {
	bundle string // the roots of the system, and the proxy's
	ca     string // the proxy's alone, for programs that add it to their own
	java   string // the bundle, as Java reads it
	wget   string // the user's settings of wget, with the bundle
	wget2  string
	php    string // a folder of settings of PHP
	cache  string // a folder for a polite behind this one
}

// javaPassword is the password that Java's own trust store has. Older versions read none
// without a password. There is no key in the file.
const javaPassword = "changeit"

// writeFiles writes the files of a program.
func writeFiles(f folder, gate Gate, env environment) (paths files, err error) {
	bundle := join(systemRoots(env), gate.CA)
	java, err := pkcs12.Modern2023.EncodeTrustStore(certificates(bundle), javaPassword)
	if err != nil {
		return files{}, err
	}
	at, proxy := f.path("bundle.pem"), gate.URL.String()
	phpIni := f.path("php/polite.ini")
	for _, file := range []struct {
		path *string
		name string
		text []byte
	}{
		{&paths.bundle, "bundle.pem", bundle},
		{&paths.ca, "ca.pem", gate.CA},
		{&paths.java, "java.p12", java},
		{&phpIni, "php/polite.ini", fmt.Appendf(nil, "curl.cainfo = %[1]q\nopenssl.cafile = %[1]q\n", at)},
		{&paths.wget, "wgetrc", join(wgetrc(env), fmt.Appendf(nil, "ca_certificate = %s\nuse_proxy = on\nhttp_proxy = %[2]s\nhttps_proxy = %[2]s", at, proxy))},
		{&paths.wget2, "wget2rc", join(wget2rc(env), fmt.Appendf(nil, "ca-certificate = %s\nproxy = on\nhttp-proxy = %[2]s\nhttps-proxy = %[2]s", at, proxy))},
	} {
		if *file.path, err = f.write(file.name, file.text, 0o600); err != nil {
			return files{}, err
		}
	}
	paths.php, paths.cache = filepath.Dir(phpIni), f.path("cache")
	return paths, nil
}

// wgetrc returns the settings that a user has for wget. What follows them counts for more.
func wgetrc(env environment) []byte {
	return firstOf(env.get("WGETRC"), inHome(env, ".wgetrc"))
}

// wget2rc returns those for wget2.
func wget2rc(env environment) []byte {
	return firstOf(env.get("WGET2RC"), inHome(env, ".config/wget/wget2rc"), inHome(env, ".wget2rc"))
}

// inHome returns the path of a file of the user; "" if the user has no folder.
func inHome(env environment, name string) string {
	if home := env.get("HOME"); home != "" {
		return filepath.Join(home, name)
	}
	return ""
}

// firstOf returns the text of the first file that there is.
func firstOf(names ...string) []byte {
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil {
			return text
		}
	}
	return nil
}

// A folder is a temporary folder for the user alone.
type folder string

func newFolder() (folder, error) {
	name, err := os.MkdirTemp("", "polite-run-") // of mode 0700
	return folder(name), err
}

func (f folder) path(name string) string { return filepath.Join(string(f), name) }

// write writes a file and returns its path.
func (f folder) write(name string, data []byte, mode os.FileMode) (path string, err error) {
	path = f.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, data, mode)
}

// remove removes the folder.
func (f folder) remove() { os.RemoveAll(string(f)) }

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

package verb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// Farewell shuts a server down. What has not ended in five seconds is cut off.
func Farewell(ctx context.Context, shut func(context.Context) error) {
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	shut(soon)
}

// A Door is where programs reach a verb that serves, and the secret that lets them in.
type Door struct {
	Address    string // of --listen
	SecretFile string // "" for none
	Secret     string // "" if programs need none
	Given      bool   // the user knows the secret
}

// Lock finds out whether programs need a secret, and which: that of the file that a flag names, or
// a new one if others than the user reach the address, or if open says so. port is an example.
func (d *Door) Lock(flag, port string, open bool) error {
	host, _, err := net.SplitHostPort(d.Address)
	if err != nil {
		return fmt.Errorf("--listen takes an address and a port, as in 127.0.0.1:%[1]s, or :%[1]s for all addresses of this machine", port)
	}
	if d.SecretFile != "" {
		d.Given = true
		d.Secret, err = readSecret(flag, d.SecretFile)
		return err
	}
	if ip := net.ParseIP(host); open || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		d.Secret = rand.Text() // 130 bits
	}
	return nil
}

// readSecret reads the secret in the file that a flag names.
func readSecret(flag, file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	const shortest = 16
	secret := strings.TrimSpace(string(text))
	if len(secret) < shortest || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("%s: %s must have one line of at least %d characters: openssl rand -hex 16 makes one", flag, Shown(file), shortest)
	}
	return secret, nil
}

// Listen listens at the address.
func (d *Door) Listen() (net.Listener, error) {
	l, err := net.Listen("tcp", d.Address)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%s is taken: choose another address by --listen", d.Address)
	}
	return l, err
}

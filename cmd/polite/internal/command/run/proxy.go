package run

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// ProxyVerb returns "polite proxy".
func ProxyVerb(std verb.Streams) *cobra.Command {
	var o proxyOptions
	c := &cobra.Command{
		Use: "proxy -A user-agent", Short: "serve a proxy that makes other programs polite",
		Args: func(_ *cobra.Command, args []string) error { return o.take(args) },
		RunE: func(c *cobra.Command, _ []string) error { return o.proxy(c.Context(), std) },
	}
	o.flags(c.Flags())
	return c
}

// proxy serves a proxy until ctx ends.
func (o *proxyOptions) proxy(ctx context.Context, std verb.Streams) error {
	if err := upstream.Followed(); err != nil {
		return err
	}
	listener, err := o.door.Listen()
	if err != nil {
		return err
	}
	defer listener.Close()
	hide()
	admit := proxy.SameUser // who need not know the secret
	if o.door.Given {
		admit = nil
	}
	g, err := o.open(o.door.Secret, admit, std.Warning("proxy"))
	if err != nil {
		return err
	}
	defer g.close()
	if o.ca != "" {
		remove, err := writeCertificate(o.ca, g.CA())
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		defer remove()
	}
	if _, err := fmt.Fprintln(std.Out, o.link(listener.Addr())); err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "polite proxy: %s\n", o.advice())
	if err := o.serve(ctx, g, listener); err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "polite proxy: %s\n", told(g.Summary()))
	return nil
}

// serve serves until ctx ends.
func (o *proxyOptions) serve(ctx context.Context, g *gateway, l net.Listener) error {
	end, err := serveMetrics(o.metrics, g)
	if err != nil {
		return err
	}
	defer end()
	return verb.Serve(ctx, l, g.Serve, g.Shutdown)
}

type proxyOptions struct {
	gatewayOptions
	door    verb.Door
	ca      string // the file of --ca; "" for none
	metrics string // the address of --metrics; "" for none
}

// flags defines the flags of proxy.
func (o *proxyOptions) flags(flags *pflag.FlagSet) {
	o.gatewayOptions.flags(flags, "Start the proxy again before they end")
	flags.StringVar(&o.door.Address, "listen", "127.0.0.1:3128", "the `address` where programs reach the proxy; :3128 is all addresses of this machine")
	flags.StringVar(&o.ca, "ca", "", "write the certificate that programs must trust for https to this `file`. It is removed at the end")
	flags.StringVar(&o.door.SecretFile, "secret", "", "the `file` of the secret that all programs need. It is the password of the user \"polite\"")
	o.private.Flag(flags)
	flags.StringVar(&o.metrics, "metrics", "", "serve figures for Prometheus at this `address`, at /metrics")
}

// take takes the arguments, of which there are none. The error is that of a use that makes no
// sense.
func (o *proxyOptions) take(args []string) error {
	if err := o.makesSense(); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q: to run a command, write \"polite run\"", verb.Shown(args[0]))
	}
	return o.door.Lock("--secret", "3128", !proxy.TellsUsers())
}

// link returns the URL that programs take as that of their proxy.
func (o *proxyOptions) link(at net.Addr) string {
	if o.door.Secret == "" || o.door.Given {
		return "http://" + at.String() + "/"
	}
	return "http://" + proxy.User + ":" + o.door.Secret + "@" + at.String() + "/"
}

// advice returns what to do with the proxy, in a line.
func (o *proxyOptions) advice() string {
	trust := "for https, programs must trust its certificate: write it to a file by --ca"
	if o.ca != "" {
		trust = "for https, programs must trust " + o.ca
	}
	return "set this as the proxy of programs; " + trust + "; Ctrl-C ends it"
}

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

// serveMetrics serves what a gateway does at an address, as Prometheus reads it. It serves
// until end is called. If the address is "", it serves nothing.
func serveMetrics(address string, g *gateway) (end func(), err error) {
	if address == "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("--metrics takes a free address and a port, as in 127.0.0.1:9090: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		g.writeMetrics(w)
	})
	server := &http.Server{
		Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // it tells of connections that fail
	}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(listener) })
	return func() {
		server.Close()
		serving.Wait()
	}, nil
}

// writeMetrics writes what g has done.
func (g *gateway) writeMetrics(w io.Writer) {
	write := func(name, kind, help string, value any) {
		fmt.Fprintf(w, "# HELP polite_%[1]s %[2]s\n# TYPE polite_%[1]s %[3]s\npolite_%[1]s %[4]v\n", name, help, kind, value)
	}
	t, cache := g.Summary(), g.transport.Cache.Stats()
	write("proxy_connections_total", "counter", "Connections that programs have opened.", t.Connections)
	write("proxy_tunnels_total", "counter", "Tunnels that programs have asked for.", t.Tunnels)
	write("proxy_locked_total", "counter", "Requests of who may not use the proxy.", t.Locked)
	write("requests_total", "counter", "Requests for sites.", t.Requests)
	write("sent_total", "counter", "Requests that brought an answer.", t.Sent)
	write("failed_total", "counter", "Requests to which no answer came.", t.Failed)
	write("left_total", "counter", "Requests whose program hung up before the answer.", t.Left)
	write("robots_told_total", "counter", "Requests for robots.txt that were answered with what is known.", t.Robots)
	write("waits_total", "counter", "Waits for a turn.", t.Waits)
	write("wait_seconds_total", "counter", "Time of all waits for a turn.", t.Wait.Seconds())
	write("origins", "gauge", "Sites of which something is known.", cache.Origins)
	write("cache_bytes", "gauge", "Memory for what is known of sites.", cache.Bytes)
	fmt.Fprintf(w, "# HELP polite_refused_total Requests that were refused, by kind.\n# TYPE polite_refused_total counter\n")
	for _, kind := range slices.Sorted(maps.Keys(t.Refused)) {
		fmt.Fprintf(w, "polite_refused_total{kind=%q} %d\n", kind, t.Refused[kind])
	}
}

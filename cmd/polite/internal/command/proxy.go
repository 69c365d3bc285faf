package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/certfile"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func proxyVerb(std verb.Streams) *cobra.Command {
	var o proxyOptions
	c := &cobra.Command{
		Use: "proxy -A user-agent", Short: "serve a proxy that makes other programs polite", GroupID: forPages,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.take(args); err != nil {
				return verb.Misused("proxy", err)
			}
			return o.proxy(c.Context(), std)
		},
	}
	o.flags(c.Flags())
	return c
}

// proxy serves a proxy until ctx ends.
func (o *proxyOptions) proxy(ctx context.Context, std verb.Streams) (err error) {
	if err := followed(); err != nil {
		return err
	}
	listener, err := listen(o.listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	hide()
	g, err := o.open(o.secret, o.admit())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
	if o.ca != "" {
		remove, err := certfile.Write(o.ca, g.CA())
		if err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
		defer remove()
	}
	if _, err := fmt.Fprintln(std.Out, o.link(listener.Addr())); err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "polite proxy: %s\n", o.advice())
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	if err := o.serve(ctx, g, listener); err != nil {
		return err
	}
	fmt.Fprintf(std.Err, "polite proxy: %s\n", told(g.Summary()))
	return nil
}

// farewell is how long requests under way may take at the end.
const farewell = 5 * time.Second

// serve serves until ctx ends.
func (o *proxyOptions) serve(ctx context.Context, g *gateway, l net.Listener) error {
	end, err := serveMetrics(o.metrics, g)
	if err != nil {
		return err
	}
	defer end()
	var serving sync.WaitGroup
	var failed error
	serving.Go(func() { failed = g.Serve(l) })
	stop := context.AfterFunc(ctx, func() {
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
		defer cancel()
		g.Shutdown(soon) // what has not ended by then is cut off
	})
	defer stop()
	serving.Wait()
	return failed
}

type proxyOptions struct {
	gatewayOptions
	listen     string
	ca         string // the file of --ca; "" for none
	metrics    string // the address of --metrics; "" for none
	secretFile string // the file of --secret; "" for none
	secret     string // "" if only the user's own programs may use the proxy
	given      bool   // the user knows the secret
}

// flags defines the flags of proxy.
func (o *proxyOptions) flags(flags *pflag.FlagSet) {
	o.gatewayOptions.flags(flags, "Start the proxy again before they end")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:3128", "the `address` where programs reach the proxy; :3128 is all addresses of this machine")
	flags.StringVar(&o.ca, "ca", "", "write the certificate that programs must trust for https to this `file`. It is removed at the end")
	flags.StringVar(&o.secretFile, "secret", "", "the `file` of the secret that all programs need. It is the password of the user \"polite\"")
	flags.BoolVar(&o.private, "private", false, "also ask sites at private addresses, such as 10.0.0.1")
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
	return o.lock()
}

// lock finds out whether programs need a secret, and which.
func (o *proxyOptions) lock() error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return errors.New("--listen takes an address and a port, as in 127.0.0.1:3128, or :3128 for all addresses of this machine")
	}
	if o.secretFile != "" {
		o.given = true
		o.secret, err = readSecret("--secret", o.secretFile)
		return err
	}
	if ip := net.ParseIP(host); !proxy.TellsUsers() || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		o.secret = rand.Text() // 130 bits
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
		return "", fmt.Errorf("%s: %s must have one line of at least %d characters: openssl rand -hex 16 makes one", flag, verb.Shown(file), shortest)
	}
	return secret, nil
}

// admit returns what lets programs in that do not know the secret.
func (o *proxyOptions) admit() func(net.Conn) bool {
	if o.given {
		return nil
	}
	return proxy.SameUser
}

// listen listens at the address of --listen.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%s is taken: choose another address by --listen", address)
	}
	return l, err
}

// link returns the URL that programs take as that of their proxy.
func (o *proxyOptions) link(at net.Addr) string {
	if o.secret == "" || o.given {
		return "http://" + at.String() + "/"
	}
	return "http://" + proxy.User + ":" + o.secret + "@" + at.String() + "/"
}

// advice returns what to do with the proxy, in a line.
func (o *proxyOptions) advice() string {
	trust := "for https, programs must trust its certificate: write it to a file by --ca"
	if o.ca != "" {
		trust = "for https, programs must trust " + o.ca
	}
	return "set this as the proxy of programs; " + trust + "; Ctrl-C ends it"
}

package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/signal"
	"sync"
	"syscall"

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
func (o *proxyOptions) proxy(ctx context.Context, std verb.Streams) (err error) {
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
	g, err := o.open(o.door.Secret, admit)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.close()) }()
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
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
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
	var serving sync.WaitGroup
	var failed error
	serving.Go(func() { failed = g.Serve(l) })
	stop := context.AfterFunc(ctx, func() { verb.Farewell(ctx, g.Shutdown) })
	defer stop()
	serving.Wait()
	return failed
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

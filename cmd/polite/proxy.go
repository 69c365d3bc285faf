package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
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
)

func serveProxy(ctx context.Context, args []string, std verb.Streams) (err error) {
	o, err := parseProxy(args)
	if err != nil {
		return err
	}
	listener, err := o.listener()
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
	listen  string
	ca      string // the file of --ca; "" for none
	metrics string // the address of --metrics; "" for none
	secret  string // "" if only the user's own programs may use the proxy
	given   bool   // the user knows the secret
}

func parseProxy(args []string) (proxyOptions, error) {
	o := proxyOptions{listen: "127.0.0.1:3128"}
	flags := flag.NewFlagSet("proxy", flag.ContinueOnError)
	o.flags(flags)
	flags.StringVar(&o.listen, "listen", o.listen, "")
	flags.StringVar(&o.ca, "ca", "", "")
	flags.StringVar(&o.metrics, "metrics", "", "")
	flags.BoolVar(&o.private, "private", false, "")
	secret := ""
	flags.StringVar(&secret, "secret", "", "")
	args, err := verb.Parse(flags, args)
	if err != nil {
		return o, err
	}
	if err = o.makesSense(); err == nil && len(args) > 0 {
		err = fmt.Errorf("unexpected argument %q: to run a command, write \"polite run\"", verb.Shown(args[0]))
	}
	if err == nil {
		err = o.lock(secret)
	}
	if err != nil {
		return o, verb.Misused("proxy", err)
	}
	return o, followed()
}

// lock finds out whether programs need a secret, and which. file has that of the user; it may
// be "".
func (o *proxyOptions) lock(file string) error {
	host, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return errors.New("--listen takes an address and a port, as in 127.0.0.1:3128, or :3128 for all addresses of this machine")
	}
	if file != "" {
		o.given = true
		o.secret, err = readSecret(file)
		return err
	}
	if ip := net.ParseIP(host); !proxy.TellsUsers() || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		o.secret = rand.Text() // 130 bits
	}
	return nil
}

// readSecret reads the secret in a file.
func readSecret(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--secret: %w", err)
	}
	const shortest = 16
	secret := strings.TrimSpace(string(text))
	if len(secret) < shortest || strings.ContainsAny(secret, "\r\n") {
		return "", fmt.Errorf("--secret: %s must have one line of at least %d characters: openssl rand -hex 16 makes one", verb.Shown(file), shortest)
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

func (o *proxyOptions) listener() (net.Listener, error) {
	l, err := net.Listen("tcp", o.listen)
	if errors.Is(err, syscall.EADDRINUSE) {
		err = fmt.Errorf("%s is taken: choose another address by --listen", o.listen)
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

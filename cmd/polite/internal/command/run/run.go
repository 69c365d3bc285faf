// Package run is the verbs run and proxy, which make other programs polite.
package run

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"

	"github.com/go-polite/polite/cmd/polite/internal/child"
	"github.com/go-polite/polite/cmd/polite/internal/proxy"
	"github.com/go-polite/polite/cmd/polite/internal/upstream"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Verb returns "polite run".
func Verb(std verb.Streams) *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use: "run -A user-agent [flags] [--] COMMAND...", Short: "make any program obey robots.txt",
		Args: func(_ *cobra.Command, command []string) error { return o.take(command) },
		RunE: func(*cobra.Command, []string) error { return o.run(std) },
	}
	o.flags(c.Flags())
	return c
}

// run runs the command behind a proxy, and exits as the command does. A command that may have gone
// past the proxy has not ended well.
func (o runOptions) run(std verb.Streams) error {
	if err := upstream.Followed(); err != nil {
		return err
	}
	g := behind{options: o, tell: std.Warning("run")}
	command := child.Command{
		Args: o.command, Environ: os.Environ(), In: std.In, Out: std.Out, Err: std.Err, Isolate: o.isolate, Open: g.open,
	}
	status, err := command.Run() // it decides what Ctrl-C means
	g.close()
	if start, ok := errors.AsType[*child.StartError](err); ok {
		std.Warning("run")(start)
		return verb.Status(start.Status)
	}
	if err != nil {
		return err
	}
	past := status == 0 && !g.isolated && g.gateway.Summary().Connections == 0
	if past {
		status = int(verb.Disallowed)
	}
	if past || !o.quiet {
		fmt.Fprintf(std.Err, "polite run: %s\n", g.summary(g.gateway.Summary()))
	}
	return verb.Status(status).OrNil()
}

type runOptions struct {
	gatewayOptions
	isolate child.Isolation
	quiet   bool
	command []string
}

// flags defines the flags of run.
func (o *runOptions) flags(flags *pflag.FlagSet) {
	o.gatewayOptions.flags(flags, "A command that runs for longer needs more")
	flags.BoolFunc("isolate", "run nothing where the system lets no command have a network in which there is nothing but polite. If left out, the command has one where it can. --isolate=false leaves it all of the network", func(written string) error {
		yes, err := strconv.ParseBool(written)
		o.isolate = map[bool]child.Isolation{true: child.Always, false: child.Never}[yes]
		return err
	})
	flags.BoolVarP(&o.quiet, "quiet", "q", false, "write no line at the end, unless nothing came through polite and the status is 3")
	flags.SetInterspersed(false) // the flags of the command are left to it
}

// take takes the command. The error is that of a use that makes no sense.
func (o *runOptions) take(command []string) error {
	o.command, o.private = command, verb.Private{"*"} // which the command reaches without polite, too
	if err := o.makesSense(); err != nil {
		return err
	}
	if len(command) == 0 {
		return errors.New("which command? write it after the flags, as in: -- curl https://example.com/")
	}
	return nil
}

// behind is what a command is behind.
type behind struct {
	options  runOptions
	isolated bool
	tell     func(error)
	gateway  *gateway // nil if it is not open
	serving  sync.WaitGroup
}

// open opens the proxy. Where nobody can tell who has opened a connection, the command knows a
// secret.
func (b *behind) open(l net.Listener, isolated bool) (child.Gate, error) {
	b.isolated = isolated
	at := &url.URL{Scheme: "http", Host: l.Addr().String(), Path: "/"}
	admit, secret := proxy.SameUser, ""
	switch {
	case isolated:
		admit = proxy.Anyone // who is in there
	case !proxy.TellsUsers():
		secret = rand.Text() // 130 bits
		at.User = url.UserPassword(proxy.User, secret)
	}
	hide() // the command, too, could read the key
	g, err := b.options.open(secret, admit, b.tell)
	if err != nil {
		return child.Gate{}, err
	}
	b.gateway = g
	b.serving.Go(func() {
		if err := g.Serve(l); err != nil {
			b.tell(err)
		}
	})
	return child.Gate{URL: at, CA: g.CA()}, nil
}

// close closes the proxy. The command has ended, so nobody waits for an answer.
func (b *behind) close() {
	if b.gateway == nil {
		return
	}
	ended, end := context.WithCancel(context.Background())
	end()
	b.gateway.Shutdown(ended)
	b.serving.Wait()
	b.gateway.close()
}

// summary tells what became of the requests of the command. If none came, it tells what to
// try.
func (b *behind) summary(t proxy.Tally) string {
	switch {
	case t.Requests+t.Robots > 0:
		return told(t)
	case t.Locked > 0 && proxy.TellsUsers():
		return "nothing sent: what the command asks for, it asks as another user than you"
	case t.Locked > 0:
		return "nothing sent: the command leaves out the user and the password of http_proxy"
	case t.Tunnels > 0:
		return "nothing sent: the command does not trust the certificate of polite, which is in SSL_CERT_FILE"
	case b.isolated:
		return "nothing sent: the command asks for nothing, for localhost alone, or ignores proxies, as Node.js before 22.21 does; it has no other way out, nor servers of this machine: --isolate=false gives it both"
	default:
		return "nothing came through polite: the command asks for nothing, for localhost alone, or ignores proxies, as Node.js before 22.21 does, and then no rule was obeyed; --isolate leaves it no other way out, or says why it cannot"
	}
}

// Package verb has what all verbs of the command share: what they read and write, how they
// read a time, and how they end.
package verb

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/spf13/pflag"
)

// Conclude writes the err of a verb to w, and returns the exit status for it. It does not
// write an error that is a [Status], because it was told before, nor the error of a closed
// pipe, because the reader has enough.
func Conclude(name string, err error, w io.Writer) Status {
	if err == nil {
		return OK
	}
	if status, ok := errors.AsType[Status](err); ok {
		return status
	}
	if errors.Is(err, syscall.EPIPE) {
		return Failed
	}
	fmt.Fprintf(w, "%s: %s\n", strings.TrimSpace("polite "+name), Message(err))
	if m, ok := errors.AsType[MisuseError](err); ok {
		fmt.Fprintln(w, m.hint)
		return Misuse
	}
	if _, ok := errors.AsType[unreadable](err); ok {
		return Unreachable
	}
	return Failed
}

// LongBreak is the longest break (Retry-After) of a site that polite waits for before it
// asks for robots.txt. During a longer one it does not ask. It is the usual
// Policy.Timeout.
const LongBreak = 30 * time.Second

// Streams are what a verb reads and writes: pages, verdicts and findings go to Out,
// all else to Err.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Warning returns a function that tells an error in spite of which a verb goes on.
func (s Streams) Warning(verb string) func(error) {
	return func(err error) { fmt.Fprintf(s.Err, "polite %s: %s\n", verb, Message(err)) }
}

// Spoken returns w, or what swallows all if a command is quiet.
func Spoken(quiet bool, w io.Writer) io.Writer {
	if quiet {
		return io.Discard
	}
	return w
}

// Input returns a reader of In that fails as soon as ctx ends. In itself may be a
// terminal, whose Read does not return then.
func (s Streams) Input(ctx context.Context) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, s.In)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

// A Status is the exit status of the command. As an error it says that the error was
// told already.
type Status int

const (
	OK          Status = iota
	Failed             // any failure that is none of these
	Misuse             // the command makes no sense
	Disallowed         // by robots.txt
	Unreachable        // robots.txt could not be fetched or read
)

func (s Status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// OrNil returns s as an error, or nil if s is OK.
func (s Status) OrNil() error {
	if s == OK {
		return nil
	}
	return s
}

// A MisuseError is the error of a command that makes no sense.
type MisuseError struct {
	error
	hint string // what to do instead
}

// Misused returns the error for a use of a verb that makes no sense. It is told with
// a hint at the verb's help.
func Misused(verb string, err error) error {
	return Hinted(err, fmt.Sprintf("%q tells how to use it.", strings.TrimSpace("polite help "+verb)))
}

// Hinted is Misused with a hint of its own.
func Hinted(err error, hint string) error { return MisuseError{err, printable.Text(hint)} }

type unreadable struct{ error }

func (u unreadable) Unwrap() error { return u.error }

// Unread returns err as the error for a robots.txt that could not be fetched or read.
func Unread(err error) error { return unreadable{err} }

// Message returns the text of err, made printable. It leaves out the name of package
// polite, which is also the command's.
func Message(err error) string {
	if err == nil {
		return ""
	}
	return printable.Text(strings.TrimPrefix(err.Error(), "polite: "))
}

// Time defines a flag whose value is a time: seconds, as in 10 or 0.5, or a duration with
// its unit, as in 2m.
func Time(flags *pflag.FlagSet, t *time.Duration, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		d, err := time.ParseDuration(value)
		if _, number := strconv.ParseFloat(value, 64); number == nil {
			d, err = time.ParseDuration(value + "s")
		}
		if err != nil || d <= 0 {
			return errors.New("write seconds, as in 10, or a time with its unit, as in 2m")
		}
		*t = d
		return nil
	})
}

// Home is where to read about the command.
const Home = "https://github.com/go-polite/polite"

// Version returns the version of the module, as in "1.2.3". It is "" if the command
// was built from a working copy.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// Built returns the version of the command, and what it was built with.
func Built() string {
	return fmt.Sprintf("%s, %s %s/%s", cmp.Or(Version(), "(unreleased)"), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// UserAgent returns the User-Agent that the command sends, if it is given no other.
func UserAgent() string {
	product := "polite"
	if number := Version(); number != "" {
		product += "/" + number
	}
	return product + " (+" + Home + ")"
}

// UserAgentFlag defines -A for a verb that fetches. more is what else its help says.
func UserAgentFlag(flags *pflag.FlagSet, userAgent *string, more string) {
	flags.FuncP("agent", "A", "who you are: a `user-agent`, as in \"ExampleBot/1.0 (+https://example.com/bot)\""+more, TakeUserAgent(userAgent))
}

// TakeUserAgent returns what takes the value of a flag that is a User-Agent to send.
func TakeUserAgent(userAgent *string) func(string) error {
	return func(agent string) error {
		*userAgent = agent
		return usable(agent)
	}
}

// usable returns why a user agent cannot be sent, or nil.
func usable(agent string) error {
	const example = `as in "ExampleBot/1.0 (+https://example.com/bot)"`
	switch {
	case agent == "":
		return errors.New("it is empty: write who you are, " + example)
	case strings.ContainsFunc(agent, unicode.IsControl):
		return errors.New("it has a control character: write it " + example)
	case robots.ProductToken(agent) == "":
		return errors.New("it names no crawler: write it " + example)
	default:
		return nil
	}
}

// Serve serves until ctx ends, and then shuts the server down. What has not ended in five seconds is cut off.
func Serve(ctx context.Context, l net.Listener, serve func(net.Listener) error, shut func(context.Context) error) error {
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		shut(soon)
	})
	err := serve(l)
	if !stop() {
		<-ended
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Private are the hosts of --private, which may be at private addresses. "*" is any host.
type Private []string

// Flag defines --private.
func (p *Private) Flag(flags *pflag.FlagSet) {
	flags.Func("private", "this `host` may be at a private address, such as 10.0.0.1; \"*\" is any host. May be repeated, or a list: host,host. All other private addresses are closed", func(hosts string) error {
		for host := range strings.SplitSeq(hosts, ",") {
			if _, err := netip.ParseAddr(host); err != nil && (host == "" || strings.ContainsAny(host, ":/@[] ")) {
				return fmt.Errorf("%q is no host: write it without a scheme and a port, as in intranet.example or 127.0.0.1", Shown(host))
			}
			*p = append(*p, host)
		}
		return nil
	})
}

// Has reports whether a host may be at a private address.
func (p Private) Has(host string) bool {
	return slices.ContainsFunc(p, func(open string) bool {
		return open == "*" || strings.EqualFold(strings.TrimSuffix(open, "."), strings.TrimSuffix(host, "."))
	})
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
	if open || !IsLoopback(host) {
		d.Secret = rand.Text() // 130 bits
	}
	return nil
}

// SameSecret reports whether two texts are equal, in a time that tells nothing of either.
func SameSecret(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// IsLoopback reports whether a host is this machine, for this machine alone.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
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

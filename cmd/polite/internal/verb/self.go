package verb

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"unicode"

	"github.com/go-polite/polite/robots"
	"github.com/spf13/pflag"
)

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

package verb

import (
	"runtime/debug"
	"strings"
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

// UserAgent returns the User-Agent that the command sends, if it is given no other.
func UserAgent() string {
	product := "polite"
	if number := Version(); number != "" {
		product += "/" + number
	}
	return product + " (+" + Home + ")"
}

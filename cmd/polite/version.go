package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

const versionUsage = `usage: polite version

Prints the version of the command, and that of Go which it was built with.
`

func version(_ context.Context, args []string, std stdio) error {
	if err := parseNone("version", args); err != nil {
		return err
	}
	number := buildVersion()
	if number == "" {
		number = "(unreleased)"
	}
	_, err := fmt.Fprintf(std.out, "polite %s, %s %s/%s\n", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// buildVersion returns the version of the module, as in "1.2.3", or "" if it was
// built from a working copy.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" {
		return ""
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}

// userAgent is who the command says it is.
func userAgent() string {
	product := "polite"
	if number := buildVersion(); number != "" {
		product += "/" + number
	}
	return product + " (+https://github.com/go-polite/polite)"
}

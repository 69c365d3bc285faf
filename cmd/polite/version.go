package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

func version(_ context.Context, args []string, std verb.Streams) error {
	if err := verb.ParseNone("version", args); err != nil {
		return err
	}
	number := verb.Version()
	if number == "" {
		number = "(unreleased)"
	}
	_, err := fmt.Fprintf(std.Out, "polite %s, %s %s/%s\n", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

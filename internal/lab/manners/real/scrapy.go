package main

import (
	"context"
	_ "embed"
	"fmt"
	"os/exec"
	"strconv"
	"time"
)

// python is the Python of the system, which has Debian's Scrapy.
const python = "/usr/bin/python3"

//go:embed scrapy_.py
var spider string

func hasScrapy() bool { return exec.Command(python, "-c", "import scrapy").Run() == nil }

// crawlByScrapy runs Scrapy with its usual settings, with AutoThrottle or without.
func crawlByScrapy(throttled bool) func(context.Context, string, end) error {
	return func(ctx context.Context, url string, end end) error {
		ctx, stop := context.WithTimeout(ctx, 2*end.long+time.Minute) // it ends by itself before
		defer stop()
		seconds := strconv.FormatFloat(end.long.Seconds(), 'f', -1, 64)
		out, err := exec.CommandContext(ctx, python, "-c", spider, url, seconds, strconv.Itoa(end.pages), strconv.FormatBool(throttled)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("scrapy: %w: %s", err, out)
		}
		return nil
	}
}

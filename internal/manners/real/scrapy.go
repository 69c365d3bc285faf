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
func crawlByScrapy(throttled bool) func(context.Context, string, time.Duration) error {
	return func(ctx context.Context, url string, long time.Duration) error {
		ctx, end := context.WithTimeout(ctx, 2*long+time.Minute) // it ends by itself before
		defer end()
		seconds := strconv.FormatFloat(long.Seconds(), 'f', -1, 64)
		out, err := exec.CommandContext(ctx, python, "-c", spider, url, seconds, strconv.FormatBool(throttled)).CombinedOutput()
		if err != nil {
			return fmt.Errorf("scrapy: %w: %s", err, out)
		}
		return nil
	}
}

// Command nethttp runs other people's tests with polite around every http.Transport, and without. It prints the
// tests that fail only with polite, and why, as far as it is known: expected.go. It is no part of any gate.
//
//	go run ./internal/lab/nethttp [-run regexp] [-skip regexp] [-exempt] [-off] [net/http | module ...]
//
// Call it in the root of the repository. Without a module it runs the tests of net/http, of the Go that is
// installed. The modules that it knows are in modules.go. Nothing of them is kept: overlay.go puts a hook into
// net/http while a test is built. The output of the tests stays in the folder for temporary files. With Backoff,
// other tests that have more than six requests under way may not end: try -off first.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "nethttp:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	var o options
	flag.StringVar(&o.run, "run", "", "run only the tests that match this `regexp`")
	flag.StringVar(&o.skip, "skip", "", "skip the tests that match this `regexp`, besides those that never end")
	flag.BoolVar(&o.exempt, "exempt", false, "let all requests be exempt, so that they take no turns")
	flag.BoolVar(&o.off, "off", false, "turn Backoff off, and with it the ceiling")
	flag.Parse()
	dir, err := os.MkdirTemp("", "nethttp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	names := flag.Args()
	if len(names) == 0 {
		names = []string{standard}
	}
	unknown := 0
	for _, name := range names {
		n, err := compare(ctx, dir, name, o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		unknown += n
	}
	if unknown > 0 {
		return errors.New("some tests fail, and the list does not say why")
	}
	return nil
}

// compare runs the tests of a module with polite and without. It prints what differs, and returns how many
// failures are not expected.
func compare(ctx context.Context, dir, name string, o options) (unknown int, err error) {
	subject, err := prepare(ctx, dir, name)
	if err != nil {
		return 0, err
	}
	plain, err := subject.test(ctx, o, false)
	if err != nil {
		return 0, err
	}
	politely, err := subject.test(ctx, o, true)
	if err != nil {
		return 0, err
	}
	reasons := make(map[string]int)
	for _, test := range slices.Sorted(maps.Keys(plain)) {
		if plain[test] && !politely[test] {
			why := reason(name, test)
			if reasons[why]++; why == "" {
				fmt.Printf("%-10s %s\n", "FAIL", test)
				unknown++
			} else {
				fmt.Printf("%-10s %s: %s\n", "expected", test, why)
			}
		}
	}
	passed := 0
	for _, ok := range politely {
		if ok {
			passed++
		}
	}
	fmt.Printf("%s: %d tests, %d pass with polite; of the others, %d fail without it, too, and %d are not explained\n",
		name, len(plain), passed, len(plain)-count(plain), unknown)
	return unknown, nil
}

func count(results map[string]bool) (passed int) {
	for _, ok := range results {
		if ok {
			passed++
		}
	}
	return passed
}

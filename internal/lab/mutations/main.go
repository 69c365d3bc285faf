// Command mutations takes one mechanism after the other out of polite, and runs the test that
// notices. It fails if a test does not.
//
//	go run ./internal/lab/mutations [-run regexp] [-list]
//
// Call it in the root of the repository. Its table is in table.go. A mutation is a text that takes
// the place of another while a test is built, so no file changes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"sync"
)

// atOnce is how many mutants are tried at the same time.
const atOnce = 2

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutations:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	pattern := flag.String("run", "", "try the mutations whose file or mechanism matches this `regexp`")
	list := flag.Bool("list", false, "list the mutations and try none")
	flag.Parse()
	matches, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	var chosen []mutation
	all, err := mutations(".")
	if err != nil {
		return err
	}
	for _, m := range all {
		if matches.MatchString(m.file + ": " + m.without) {
			chosen = append(chosen, m)
		}
	}
	if *list {
		for _, m := range chosen {
			fmt.Printf("%-70s %-45s %s\n", m.without, m.test, m.file)
		}
		return nil
	}
	return try(ctx, chosen)
}

// try tries mutations, and prints what became of each.
func try(ctx context.Context, all []mutation) error {
	dir, err := os.MkdirTemp("", "mutations")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var mu sync.Mutex // for the output and the counts
	var tries sync.WaitGroup
	counts := make(map[outcome]int)
	next := make(chan mutation)
	for range atOnce {
		tries.Go(func() {
			for m := range next {
				r := m.try(ctx, dir)
				mu.Lock()
				counts[r.outcome]++
				fmt.Println(r)
				mu.Unlock()
			}
		})
	}
	for _, m := range all {
		if ctx.Err() == nil {
			next <- m
		}
	}
	close(next)
	tries.Wait()
	fmt.Printf("%d mutations: %d noticed, %d not as the table says\n", len(all), counts[noticed], counts[survived]+counts[broken])
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if counts[survived]+counts[broken] > 0 {
		return errors.New("the table and the tests differ")
	}
	return nil
}

package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	folder := flag.String("svg", "", "draw pictures into this `folder`, and print no table")
	ill := flag.Bool("troubles", false, "print how polite fares at sites in trouble")
	flag.Parse()
	if err := run(*folder, *ill); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, ill bool) error {
	if ill {
		return printTroubles(os.Stdout)
	}
	if folder != "" {
		return drawAll(folder)
	}
	return printTable(os.Stdout)
}

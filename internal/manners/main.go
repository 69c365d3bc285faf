package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	folder := flag.String("svg", "", "draw pictures into this `folder`, and print no table")
	flag.Parse()
	if err := run(*folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	if folder != "" {
		return drawAll(folder)
	}
	return printTable(os.Stdout)
}

// Command benchmarks measures package robots beside the parser that Go scrapers
// use today, temoto/robotstxt, and beside the floor: a loop that splits lines,
// trims them, finds the colon and appends a rule. All in one run, since only
// the ratios mean something on another machine.
//
//	cd internal/lab/benchmarks && go run .
//
// With the argument "figures" it prints what ./against compares instead.
//
// It reads the corpus that POLITE_CORPUS names (see internal/lab/corpus), or else
// makes up one of the same shape.
package main

import (
	"fmt"
	"log"
	"os"
	"slices"
	"text/tabwriter"
)

func main() {
	input, err := load(os.Getenv("POLITE_CORPUS"))
	if err != nil {
		log.Fatal(err)
	}
	if slices.Equal(os.Args[1:], []string{"figures"}) {
		figures(input)
		return
	}
	fmt.Printf("%s: %d files, %.1f MB, %d queries\n\n", input.name, len(input.bodies), float64(input.size())/1e6, len(input.queries))
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tpolite\ttemoto\tfloor\t")
	parse(table, input)
	match(table, input)
	retained(table, input)
	table.Flush()

	fmt.Println()
	table = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\tcompile\tfirst query\tmemory ÷ source\t2 KB\t64 KB\ttemoto, 2 KB\t")
	hostile(table)
	table.Flush()

	fmt.Println()
	table = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "rules\tpolite\ttemoto\t")
	large(table, input)
	table.Flush()
}

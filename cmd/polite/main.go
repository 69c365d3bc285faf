package main

import (
	"os"

	"github.com/go-polite/polite/cmd/polite/internal/command"
)

func main() { os.Exit(command.Main()) }

package main

import (
	_ "embed"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
)

//go:embed scrapy_.py
var spider string

// python has Scrapy where a package of the system has it; another python3 may come first in PATH.
const python = "/usr/bin/python3"

// hasScrapy reports whether Scrapy is installed.
func hasScrapy() bool { return exec.Command(python, "-c", "import scrapy").Run() == nil }

// byScrapy runs a spider of Scrapy.
func byScrapy(_ http.RoundTripper, urls []string) {
	file, err := os.CreateTemp("", "spider*.py")
	if err != nil {
		panic(err)
	}
	defer os.Remove(file.Name())
	file.WriteString(spider)
	file.Close()
	cmd := exec.Command(python, "-m", "scrapy", "runspider", "--nolog", file.Name())
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasSuffix(strings.ToUpper(name), "_PROXY")
	})
	cmd.Env = append(cmd.Env, "URLS="+strings.Join(urls, " "))
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", out)
	}
}

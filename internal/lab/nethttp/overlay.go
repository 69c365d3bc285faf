package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// hook is a file of tests that sends the requests of each http.Transport through polite.
//
//go:embed testdata/hook.go
var hook string

// hooked is what net/http has besides, while a test is built.
const hooked = `package http

// Politely sends the requests of a Transport, if it is not nil.
var Politely func(*Transport, *Request) (*Response, error)

// PlainRoundTrip is RoundTrip without Politely.
func (t *Transport) PlainRoundTrip(req *Request) (*Response, error) { return t.roundTrip(req) }

func politely(t *Transport, req *Request) (*Response, error) {
	if Politely == nil {
		return t.roundTrip(req)
	}
	return Politely(t, req)
}
`

// overlay returns a file for go test -overlay. It puts the hook into net/http, and the files of tests that use
// it where others say.
func overlay(ctx context.Context, dir string, others map[string]string) (file string, err error) {
	source, err := goroot(ctx)
	if err != nil {
		return "", err
	}
	at := filepath.Join(source, "src", "net", "http")
	roundTrip, err := os.ReadFile(filepath.Join(at, "roundtrip.go"))
	if err != nil {
		return "", err
	}
	const old = "return t.roundTrip(req)"
	if n := bytes.Count(roundTrip, []byte(old)); n != 1 {
		return "", fmt.Errorf("roundtrip.go of net/http has %q %d times, and not once", old, n)
	}
	texts := map[string]string{
		filepath.Join(at, "roundtrip.go"): strings.Replace(string(roundTrip), old, "return politely(t, req)", 1),
		filepath.Join(at, "politely.go"):  hooked,
	}
	for path, text := range others {
		texts[path] = text
	}
	replace := make(map[string]string)
	for path, text := range texts {
		replace[path] = filepath.Join(dir, fmt.Sprint(len(replace), filepath.Base(path)))
		if err := os.WriteFile(replace[path], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, list, 0o600)
}

func goroot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out)), err
}

// hookIn returns the text of the hook in a package of tests.
func hookIn(pkg string, o options) string {
	return strings.NewReplacer(
		"package hook", "package "+pkg, "exempt = false", fmt.Sprint("exempt = ", o.exempt), "off    = false", fmt.Sprint("off = ", o.off),
	).Replace(hook)
}

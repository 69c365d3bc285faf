package repository

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command prints what the pages show, in a folder with the robots.txt of the page,
// and on a web where example.com has it too. After a change that is meant, write the
// pages anew:
//
//	go test ./internal/repository -run TestConsole -update
func TestConsole(t *testing.T) {
	executable := build(t, "cmd/polite", ".")
	for _, b := range blocks(t, "console") {
		var shown strings.Builder
		cache := t.TempDir()
		for line := range strings.Lines(b.text) {
			if args, ok := strings.CutPrefix(strings.TrimSpace(line), "$ polite "); ok {
				out, _ := pageCommand(t, b.page, executable, args, cache)
				shown.WriteString(line + out)
			}
		}
		if *update {
			page := readPage(t, b.page)
			text := strings.Replace(page, "```console\n"+b.text+"```", "```console\n"+shown.String()+"```", 1)
			require.NoError(t, os.WriteFile(filepath.Join(root, b.page), []byte(text), 0o644))
			continue
		}
		assert.Equal(t, b.text, shown.String(), "%v", b)
	}
}

// pageCommand runs the command as a page shows it, with its cache in a folder. It returns
// what the command prints and its exit status.
func pageCommand(t *testing.T, page, executable, args, cache string) (output string, status int) {
	dir, file := pageFolder(t, page), robotsOf(t, page)
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(file))
	cmd := exec.CommandContext(t.Context(), executable, strings.Fields(plain(args))...)
	cmd.Dir = dir
	online(t, cmd, web)
	cmd.Env = append(cmd.Env, "POLITE_CACHE="+cache)
	out, _ := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState)
	return strings.ReplaceAll(string(out), "http://example.com", "https://example.com"), cmd.ProcessState.ExitCode()
}

// serveTester runs the tester as a page shows it, without a browser. It ends it when the
// tester has printed its link.
func serveTester(t *testing.T, page, executable, args string) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	cmd := exec.CommandContext(ctx, executable, append(strings.Fields(args), "--no-open")...)
	cmd.Dir = pageFolder(t, page)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	link, _ := bufio.NewReader(out).ReadString('\n')
	assert.Contains(t, link, "http://127.0.0.1:", args)
	end()
	cmd.Wait()
	assert.Zero(t, cmd.ProcessState.ExitCode(), args)
}

// pageFolder returns a folder with the files of a page. The robots.txt is the one that the
// site has, unless the page has another.
func pageFolder(t *testing.T, page string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte(robotsOf(t, page)), 0o644))
	for _, b := range blocksOf(page, readPage(t, page)) {
		text := b.text
		if b.language != "robots.txt" {
			text = plain(text)
		}
		if b.file != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, b.file), []byte(text), 0o644))
		}
	}
	return dir
}

// robotsOf returns the robots.txt that a page shows; a small one if there is none.
func robotsOf(t *testing.T, page string) string {
	for _, b := range blocksOf(page, readPage(t, page)) {
		if b.language == "robots.txt" {
			return b.text
		}
	}
	return "user-agent: *\ndisallow: /private\nsitemap: https://example.com/sitemap.xml\n"
}

// environment is what a line of shell adds to the environment.
var environment = regexp.MustCompile(`^POLITE_\w+=\S+ `)

// Every line of shell can be run. The command is run; of go, the packages and tests that
// a line names are there.
func TestShell(t *testing.T) {
	executable := build(t, "cmd/polite", ".")
	for _, b := range blocks(t, "sh") {
		for line := range strings.Lines(b.text) {
			words, _, _ := strings.Cut(line, "  #")
			words = environment.ReplaceAllString(strings.TrimSpace(words), "")
			args, isPolite := strings.CutPrefix(strings.TrimPrefix(words, "go run ./cmd/"), "polite ")
			switch {
			case words == "":
			case isPolite && !installed(args):
			case isPolite && strings.HasPrefix(args, "tester"):
				serveTester(t, b.page, executable, args)
			case isPolite:
				out, status := pageCommand(t, b.page, executable, args, t.TempDir())
				assert.Contains(t, []int{0, 1, 3}, status, "%v: %s: %s", b, words, out)
			default:
				checkGo(t, b, strings.Fields(words))
			}
		}
	}
}

// installed reports whether the program is there that a line has polite run.
func installed(args string) bool {
	_, line, runs := strings.Cut(args, " -- ")
	if !runs {
		return true
	}
	name, _, _ := strings.Cut(line, " ")
	_, err := exec.LookPath(name)
	return err == nil
}

const module = "github.com/go-polite/polite"

var valued = []string{"-run", "-fuzz", "-bench"} // options whose value is the name of a test

// checkGo checks a go command, or one that is a file of the repository.
func checkGo(t *testing.T, b block, words []string) {
	if words[0] != "go" {
		_, err := os.Stat(filepath.Join(root, words[0]))
		assert.NoError(t, err, "%v", b)
		return
	}
	var dirs []string
	base := root
	if words[2] == "-C" {
		base = filepath.Join(root, words[3])
	}
	for _, word := range words[2:] {
		word, _, _ = strings.Cut(strings.TrimSuffix(word, "/..."), "@")
		if dir, ok := strings.CutPrefix(word, module); ok || word == "." || strings.HasPrefix(word, "./") {
			dirs = append(dirs, filepath.Join(root, dir))
			if !ok {
				dirs[len(dirs)-1] = filepath.Join(base, word)
			}
		}
	}
	if !assert.NotEmpty(t, dirs, "%v: %s", b, words) || !assert.DirExists(t, dirs[0], "%v", b) {
		return
	}
	for i, word := range words {
		if slices.Contains(valued, word) {
			assert.Regexp(t, `(?m)^func `+strings.Trim(words[i+1], "'^$"), testsIn(t, dirs[0]), "%v: %s", b, words)
		}
	}
}

var anyTest = regexp.MustCompile(`(?m)^func (Test|Fuzz|Benchmark)\w+`)

// testsIn returns the first line of each test in a folder.
func testsIn(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all = append(all, anyTest.FindAllString(string(text), -1)...)
	}
	return strings.Join(all, "\n")
}

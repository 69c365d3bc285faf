package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/cmd/polite/internal/manual"
	"github.com/go-polite/polite/cmd/polite/internal/shell"
)

// definedFlags returns the flags that a command takes, as it lists them itself.
func definedFlags(t *testing.T, command string) []string {
	got := runCommand(t, command, "--zzzzzzzzzzzzzzzzzzzz")
	_, list, ok := strings.Cut(got.stderr, ": there is ")
	require.True(t, ok, got.stderr)
	list, _, _ = strings.Cut(list, "\n")
	if list == "none" {
		return nil
	}
	return strings.Split(list, ", ")
}

// The help of a command lists its flags, each once.
func TestHelpListsFlags(t *testing.T) {
	for _, v := range verbs() {
		var listed []string
		for _, f := range manual.Flags(v.Usage) {
			listed = append(listed, f.Names...)
			assert.NotEmpty(t, f.Brief(), "%s %s", v.Name, f.Names)
		}
		assert.ElementsMatch(t, definedFlags(t, v.Name), listed, v.Name)
		assert.NotEmpty(t, manual.Brief(usage, v.Name), v.Name)
	}
}

// completing are lines that are being typed, and what a shell offers for them.
var completing = []struct {
	line       string
	offers     []string // among others
	offersNone string
}{
	{"polite ch", []string{"check"}, "get"},
	{"polite check --c", []string{"--csv", "--color"}, "--json"},
	{"polite check --color ", []string{"auto", "always", "never"}, "check"},
	{"polite check -A GPTB", []string{"GPTBot"}, "Googlebot"},
	{"polite diff -A GPTB", []string{"GPTBot"}, "Googlebot"},
	{"polite help us", []string{"usage"}, "sites"},
	{"polite lint --explain never", []string{"never-wins"}, "html"},
	{"polite lint --ignore repeated-s", []string{"repeated-star"}, "html"},
	{"polite cache cl", []string{"clear"}, "list"},
	{"polite completion ", []string{"bash", "zsh", "fish"}, "check"},
	{"polite help rob", []string{"robots.txt"}, "sites"},
	{"polite lint rob", []string{"robots-here.txt"}, "html"},
	{"polite check -f rob", []string{"robots-here.txt"}, "html"},
}

// typing returns what each shell offers for a line, by a program that asks it.
var typing = map[string]func(script, line string) *exec.Cmd{
	"bash": func(script, line string) *exec.Cmd {
		return exec.Command("bash", "-c", `source "$1"; IFS=' ' read -ra COMP_WORDS <<< "$2"
			[[ $2 == *' ' ]] && COMP_WORDS+=('')
			COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _polite
			[ ${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
			printf '%s\n' "${COMPREPLY[@]}"`, "bash", script, line)
	},
	"fish": func(script, line string) *exec.Cmd {
		return exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string split -f1 \t; true`, script, line)
	},
	"zsh": func(script, line string) *exec.Cmd { // what its system of completion would be given
		return exec.Command("zsh", "-fc", `compdef() {}; _message() {}; _files() { print -l -- ${words[CURRENT]}*(N) }
			compadd() { shift; print -l -- ${(M)@:#${words[CURRENT]}*} }
			_describe() { shift $(( $# - 2 )); print -l -- ${(M)${(P)2}:#${words[CURRENT]}*}; }
			source $1; words=(${(s: :)2}); [[ $2 == *' ' ]] && words+=(''); CURRENT=$#words; _polite | sed 's/:.*//'`, "zsh", script, line)
	},
}

func TestCompletion(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "robots-here.txt"), nil, 0o600))
	for _, name := range shell.Names() {
		t.Run(name, func(t *testing.T) {
			got := runCommand(t, "completion", name)
			require.Equal(t, 0, got.status)
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(err)
			}
			script := filepath.Join(t.TempDir(), "polite."+name)
			require.NoError(t, os.WriteFile(script, []byte(got.stdout), 0o600))
			for _, c := range completing {
				cmd := typing[name](script, c.line)
				cmd.Dir = folder
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, "%s: %s", c.line, out)
				offers := strings.Fields(string(out))
				assert.Subset(t, offers, c.offers, c.line)
				assert.NotContains(t, offers, c.offersNone, c.line)
			}
		})
	}
}

func TestCompletionMisuse(t *testing.T) {
	assertMisuse(t, "completion", "for which shell? there is bash, zsh, fish")
	assertMisuse(t, "completion", `unknown shell "tcsh"`, "tcsh")
	assertMisuse(t, "completion", "for which shell?", "bash", "zsh")
	assertMisuse(t, "man", `unexpected argument "get"`, "get")
}

var macros = []string{"TH", "SH", "PP", "TP", "nf", "fi", `\"`}

// The man page has all that the help says, and formatters have nothing against it.
func TestMan(t *testing.T) {
	page := runCommand(t, "man").stdout
	for line := range strings.Lines(page) {
		if name, ok := strings.CutPrefix(line, "."); ok {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ")
			assert.Contains(t, macros, name, line)
		}
	}
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\(ha`, "^", `\(ti`, "~", `\(ga`, "`", `\fB`, "", `\fR`, "", `\fI`, "", `\&`, "").Replace(page)
	words := func(text string) []string { return regexp.MustCompile(`[^\s,]+`).FindAllString(text, -1) }
	have := words(plain)
	slices.Sort(have)
	for _, v := range verbs() {
		for _, word := range words(v.Usage) {
			_, found := slices.BinarySearch(have, word)
			assert.True(t, found, "%s: %q", v.Name, word)
		}
	}
	for _, check := range [][]string{{"mandoc", "-T", "lint", "-W", "error"}, {"groff", "-man", "-ww", "-Tutf8", "-z"}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Log(err)
			continue
		}
		cmd := exec.Command(check[0], check[1:]...)
		cmd.Stdin = strings.NewReader(page)
		out, err := cmd.CombinedOutput()
		assert.NoError(t, err, "%s", out)
		assert.Empty(t, string(out), check)
	}
}

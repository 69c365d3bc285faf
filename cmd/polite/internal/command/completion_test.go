package command

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completing are lines that are being typed, and what a shell offers for them.
var completing = []struct {
	line       string
	offers     []string // among others
	offersNone string
}{
	{"polite ch", []string{"check"}, "get"},
	{"polite check --c", []string{"--csv"}, "--json"},
	{"polite check -A GPTB", []string{"GPTBot"}, "Googlebot"},
	{"polite diff -A GPTB", []string{"GPTBot"}, "Googlebot"},
	{"polite help us", []string{"usage"}, "sites"},
	{"polite lint --explain never", []string{"never-wins"}, "html"},
	{"polite lint --ignore repeated-s", []string{"repeated-star"}, "html"},
	{"polite lint --level w", []string{"warning"}, "html"},
	{"polite cache cl", []string{"clear"}, "list"},
	{"polite completion ", []string{"bash", "zsh", "fish"}, "check"},
	{"polite help rob", []string{"robots.txt"}, "sites"},
	{"polite lint rob", []string{":0"}, "html"}, // the shell offers files
	{"polite check -f rob", []string{":0"}, "html"},
	{"polite check --max-time ", []string{":4"}, "html"}, // and here it offers none
}

// offersFor returns what a shell offers for a line: words, and after a colon what cobra tells
// its script about files.
func offersFor(t *testing.T, line string) []string {
	got := runCommand(t, append([]string{"__complete"}, strings.Split(line, " ")[1:]...)...)
	require.Equal(t, 0, got.status, got.stderr)
	begun := line[strings.LastIndexByte(line, ' ')+1:]
	var offers []string
	for line := range strings.Lines(got.stdout) {
		offer, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(offer, begun) || strings.HasPrefix(offer, ":") { // as the script does
			offers = append(offers, offer)
		}
	}
	return offers
}

func TestCompletion(t *testing.T) {
	for _, c := range completing {
		offers := offersFor(t, c.line)
		assert.Subset(t, offers, c.offers, c.line)
		assert.NotContains(t, offers, c.offersNone, c.line)
	}
}

// The shells themselves read the files that are for them.
func TestCompletionFiles(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		t.Run(shell, func(t *testing.T) {
			got := runCommand(t, "completion", shell)
			require.Equal(t, 0, got.status)
			require.Contains(t, got.stdout, "__complete")
			if _, err := exec.LookPath(shell); err != nil {
				t.Skip(err)
			}
			script := filepath.Join(t.TempDir(), "polite."+shell)
			require.NoError(t, os.WriteFile(script, []byte(got.stdout), 0o600))
			out, err := exec.Command(shell, "-n", script).CombinedOutput()
			assert.NoError(t, err, "%s", out)
		})
	}
}

func TestCompletionMisuse(t *testing.T) {
	assertMisuse(t, "completion", `unknown command "tcsh"`, "tcsh")
}

// The man pages of a release have all that the help says, and formatters have nothing against them.
func TestMan(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	folder := filepath.Join(t.TempDir(), "man1")
	polite := process(t)
	write := exec.CommandContext(t.Context(), bash, "../../../../.ci/man", polite.Path, folder)
	write.Env = polite.Env
	out, err := write.CombinedOutput()
	require.NoError(t, err, "%s", out)
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`, `\(aq`, "'", `\&`, "")
	for _, c := range append(newPolite(verb.Streams{}, io.Discard).Commands(), newPolite(verb.Streams{}, io.Discard)) {
		name := filepath.Join(folder, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		help := append([]string{"help"}, strings.Fields(pathOf(c))...)
		assert.Contains(t, plain.Replace(string(page)), runCommand(t, help...).stdout)
		assertFormats(t, name)
	}
}

// assertFormats checks that formatters have nothing against a man page.
func assertFormats(t *testing.T, page string) {
	for _, check := range [][]string{{"mandoc", "-T", "lint", "-W", "error"}, {"groff", "-man", "-ww", "-Tutf8", "-z"}} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Log(err)
			continue
		}
		out, err := exec.Command(check[0], append(check[1:], page)...).CombinedOutput()
		assert.NoError(t, err, "%s", out)
		assert.Empty(t, string(out), check)
	}
}

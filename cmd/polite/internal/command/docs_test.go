package command

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/internal/lab/repository"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command prints what README and docs show, in a folder with the robots.txt of the page,
// and on a web where example.com has it too. After a change that is meant, write the
// pages anew:
//
//	go test -C cmd/polite . -run TestConsole -update
func TestConsole(t *testing.T) {
	for _, b := range repository.Blocks(t, "console") {
		var shown strings.Builder
		cache := t.TempDir()
		for line := range strings.Lines(b.Text) {
			if args, ok := strings.CutPrefix(strings.TrimSpace(line), "$ polite "); ok {
				out, _ := pageCommand(t, b.Page, args, cache)
				shown.WriteString(line + out)
			}
		}
		if *update {
			page := repository.ReadPage(t, b.Page)
			text := strings.Replace(page, "```console\n"+b.Text+"```", "```console\n"+shown.String()+"```", 1)
			require.NoError(t, os.WriteFile(filepath.Join(repository.Root, b.Page), []byte(text), 0o644))
			continue
		}
		assert.Equal(t, b.Text, shown.String(), "%v", b)
	}
}

// pageCommand runs the command as a page shows it, with its cache in a folder. It returns
// what the command prints and its exit status.
func pageCommand(t *testing.T, page, args, cache string) (output string, status int) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(pageRobots(t, page)))
	cmd := process(t, strings.Fields(repository.Plain(args))...)
	cmd.Dir = pageFolder(t, page)
	repository.Online(t, cmd, web)
	cmd.Env = append(cmd.Env, cachefile.Variable+"="+cache)
	out, _ := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState)
	return strings.ReplaceAll(string(out), "http://example.com", "https://example.com"), cmd.ProcessState.ExitCode()
}

// pageFolder returns a folder with the files of a page. The robots.txt is the one that the
// site has, unless the page has another.
func pageFolder(t *testing.T, page string) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte(pageRobots(t, page)), 0o644))
	for _, b := range repository.BlocksOf(t, page) {
		text := b.Text
		if b.Language != "robots.txt" {
			text = repository.Plain(text)
		}
		if b.File != "" {
			require.NoError(t, os.WriteFile(filepath.Join(dir, b.File), []byte(text), 0o644))
		}
	}
	return dir
}

// pageRobots returns the robots.txt that a page shows; a small one if there is none.
func pageRobots(t *testing.T, page string) string {
	for _, b := range repository.BlocksOf(t, page) {
		if b.Language == "robots.txt" {
			return b.Text
		}
	}
	return "user-agent: *\ndisallow: /private\nsitemap: https://example.com/sitemap.xml\n"
}

// Every line of shell in README and docs that is the command's can be run.
func TestShell(t *testing.T) {
	for _, b := range repository.Blocks(t, "sh") {
		for _, command := range b.Commands() {
			args, isPolite := strings.CutPrefix(command, "polite ")
			switch {
			case !isPolite || !installed(args):
			case strings.HasPrefix(args, "tester"):
				t.Run(command, func(t *testing.T) {
					t.Chdir(pageFolder(t, b.Page))
					link, end := startTester(t, append(strings.Fields(args)[1:], "--no-open")...)
					assert.Contains(t, link, "http://127.0.0.1:")
					got := end()
					assert.Zero(t, got.status, got.stderr)
				})
			default:
				out, status := pageCommand(t, b.Page, args, t.TempDir())
				assert.Contains(t, []int{0, 1, 3}, status, "%v: %s: %s", b, command, out)
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

// The recipes for builds do what the page says of them.
func TestRecipes(t *testing.T) {
	const page = "docs/publishing.md"
	recipes := make(map[string]string)
	for _, b := range repository.Blocks(t, "bash", "yaml") {
		require.Equal(t, page, b.Page)
		recipes[b.Language] = repository.Plain(b.Text)
	}
	recipes["yaml"] = "set -e\n" + steps(recipes["yaml"])
	require.Len(t, recipes, 2)
	good := "user-agent: *\ndisallow: /private/\n"
	for name, recipe := range recipes {
		t.Run(name, func(t *testing.T) {
			assert.Contains(t, recipe, "polite check --expect")
			for _, test := range []struct {
				name, robots string // "" is that of the page
				site         http.HandlerFunc
				want         int
				changes      string // a part of what is told of them
			}{
				{"the page's", "", origintest.Text(pageRobots(t, page)), 3, ""},
				{"nothing changes", good, origintest.Text(good), 0, "nothing changes"},
				{"a change is no failure", good + "disallow: /x\n", origintest.Text(good), 0, "1 verdict changes"},
				{"a site without a file", good, http.NotFound, 0, "1 verdict changes"},
				{"an error in the file", good + "disallow: x\n", origintest.Text(good), 1, ""},
				{"what must be blocked is open", "user-agent: *\ndisallow: /x\n", origintest.Text(good), 3, ""},
				{"a site that is down", good, origintest.Status(http.StatusInternalServerError), 1, ""},
			} {
				t.Run(test.name, func(t *testing.T) {
					t.Parallel()
					status, changes := runRecipe(t, page, recipe, test.robots, test.site)
					assert.Equal(t, test.want, status)
					assert.Contains(t, changes, test.changes)
				})
			}
		})
	}
}

// steps returns the commands of a workflow, without the one that installs polite.
func steps(workflow string) string {
	var b strings.Builder
	for line := range strings.Lines(workflow) {
		if command, ok := strings.CutPrefix(strings.TrimSpace(line), "- run: "); ok && !strings.HasPrefix(command, "go install ") {
			b.WriteString(command + "\n")
		}
	}
	return b.String()
}

// runRecipe runs a recipe in a folder with the files of a page. It returns the exit status,
// and what it tells of changes.
func runRecipe(t *testing.T, page, recipe, robots string, site http.HandlerFunc) (status int, changes string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := pageFolder(t, page)
	if robots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte(robots), 0o644))
	}
	polite, bin := process(t), t.TempDir()
	require.NoError(t, os.Symlink(polite.Path, filepath.Join(bin, "polite")))
	web := origintest.New(t)
	web.Robots("example.com", site)
	cmd := exec.CommandContext(t.Context(), bash, "-c", recipe)
	cmd.Dir, cmd.Env = dir, polite.Env
	repository.Online(t, cmd, web)
	file := filepath.Join(dir, "changes.md")
	cmd.Env = append(cmd.Env, cachefile.Variable+"="+t.TempDir(), "GITHUB_STEP_SUMMARY="+file, "PATH="+bin+":"+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState, "%s", out)
	told, _ := os.ReadFile(file)
	return cmd.ProcessState.ExitCode(), string(told)
}

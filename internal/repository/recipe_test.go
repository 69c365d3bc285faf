package repository

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The recipes for builds do what the page says of them.
func TestRecipes(t *testing.T) {
	const page = "docs/deploying.md"
	recipes := make(map[string]string)
	for _, b := range blocks(t, "bash", "yaml") {
		require.Equal(t, page, b.page)
		recipes[b.language] = plain(b.text)
	}
	recipes["yaml"] = "set -e\n" + steps(recipes["yaml"])
	require.Len(t, recipes, 2)
	polite := build(t, "cmd/polite", ".")
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
				{"the page's", "", origintest.Text(robotsOf(t, page)), 3, ""},
				{"nothing changes", good, origintest.Text(good), 0, "nothing changes"},
				{"a change is no failure", good + "disallow: /x\n", origintest.Text(good), 0, "1 verdict changes"},
				{"a site without a file", good, http.NotFound, 0, "1 verdict changes"},
				{"an error in the file", good + "disallow: x\n", origintest.Text(good), 1, ""},
				{"what must be blocked is open", "user-agent: *\ndisallow: /x\n", origintest.Text(good), 3, ""},
				{"a site that is down", good, origintest.Status(http.StatusInternalServerError), 1, ""},
			} {
				t.Run(test.name, func(t *testing.T) {
					status, changes := runRecipe(t, page, polite, recipe, test.robots, test.site)
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
func runRecipe(t *testing.T, page, polite, recipe, robots string, site http.HandlerFunc) (status int, changes string) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := pageFolder(t, page)
	if robots != "" {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "robots.txt"), []byte(robots), 0o644))
	}
	bin := t.TempDir()
	require.NoError(t, os.Symlink(polite, filepath.Join(bin, "polite")))
	web := origintest.New(t)
	web.Robots("example.com", site)
	cmd := exec.CommandContext(t.Context(), bash, "-c", recipe)
	cmd.Dir = dir
	online(t, cmd, web)
	file := filepath.Join(dir, "changes.md")
	cmd.Env = append(cmd.Env, "POLITE_CACHE="+t.TempDir(), "GITHUB_STEP_SUMMARY="+file, "PATH="+bin+":"+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput()
	require.NotNil(t, cmd.ProcessState, "%s", out)
	told, _ := os.ReadFile(file)
	return cmd.ProcessState.ExitCode(), string(told)
}

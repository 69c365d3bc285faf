package repository

import (
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// version is one that the tests publish, to a copy of the repository.
const version = "v0.1.0"

// published are the modules below the root that others can get.
var published = []string{"otelpolite", "store/redisfleet", "webbotauth", "cmd/polite"}

// The tags that .ci/release makes hold what the go command needs: others can get every
// module and install every command.
func TestRelease(t *testing.T) {
	long.Only(t)
	r := release(t)
	t.Run("the modules are tidy", r.tidy)
	t.Run("go get", r.get)
	t.Run("go install", r.install)
}

// A publication is a copy of the repository with the tags of a version.
type publication struct {
	dir string
	bin string   // where go install puts commands
	env []string // in which the go command takes the copy for what others can get
}

func release(t *testing.T) publication {
	r := publication{dir: copyOfHead(t), bin: t.TempDir()}
	run(t, r.dir, nil, "bash", ".ci/release", version)
	known := strings.Fields(run(t, r.dir, nil, "go", "env", "GOMODCACHE", "GOPROXY"))
	r.env = []string{
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + r.dir + ".insteadOf", "GIT_CONFIG_VALUE_0=https://" + module,
		"GOPROXY=file://" + known[0] + "/cache/download," + known[1], "GONOPROXY=" + module, "GOSUMDB=off",
		"GOMODCACHE=" + t.TempDir(), "GOBIN=" + r.bin, "GOFLAGS=-modcacherw -trimpath", "GOWORK=off",
	}
	return r
}

// copyOfHead returns a folder with the repository as of its last commit. It skips the test
// where there is no repository, or no bash.
func copyOfHead(t *testing.T) string {
	if _, err := os.Stat(filepath.Join(Root, ".git")); err != nil || runtime.GOOS == "windows" {
		t.Skip("this is no repository, or Windows")
	}
	dir := filepath.Join(t.TempDir(), "polite")
	run(t, Root, nil, "git", "clone", "--quiet", "--no-tags", ".", dir)
	run(t, dir, nil, "git", "config", "user.name", "polite")
	run(t, dir, nil, "git", "config", "user.email", "polite@example.com")
	return dir
}

// run runs a command in a folder, with more variables than the test has. It returns what
// the command prints.
func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %s: %s", name, args, out)
	return string(out)
}

func (r publication) tidy(t *testing.T) {
	run(t, r.dir, nil, "git", "checkout", "--quiet", version)
	for _, dir := range published {
		text, err := os.ReadFile(filepath.Join(r.dir, dir, "go.mod"))
		require.NoError(t, err)
		assert.NotContains(t, string(text), "replace")
		run(t, filepath.Join(r.dir, dir), r.env, "go", "mod", "tidy", "-diff")
		run(t, filepath.Join(r.dir, dir), r.env, "go", "build", "./...")
	}
}

func (r publication) get(t *testing.T) {
	program := "package main\n\n"
	for _, dir := range append(publicPackages(t), "otelpolite", "store/redisfleet", "webbotauth") {
		program += fmt.Sprintf("import _ %q\n", path.Join(module, dir))
	}
	program += "\nfunc main() {}\n"
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
	run(t, dir, r.env, "go", "mod", "init", "example.com/crawler")
	for _, path := range append([]string{""}, published...) {
		run(t, dir, r.env, "go", "get", strings.TrimSuffix(module+"/"+path, "/")+"@"+version)
	}
	run(t, dir, r.env, "go", "build", "./...")
}

func (r publication) install(t *testing.T) {
	for command, args := range map[string][]string{
		"cmd/polite":                       {"--version", "help"},
		"store/redisfleet/cmd/politefleet": {"--help"},
	} {
		run(t, t.TempDir(), r.env, "go", "install", module+"/"+command+"@"+version)
		for _, arg := range args {
			run(t, t.TempDir(), nil, filepath.Join(r.bin, path.Base(command)), arg)
		}
	}
	assert.Contains(t, run(t, t.TempDir(), nil, filepath.Join(r.bin, "polite"), "--version"), strings.TrimPrefix(version, "v"))
}

// What can not be published leaves the repository as it is.
func TestReleaseRefuses(t *testing.T) {
	dir := copyOfHead(t)
	refused := func(version, why string) {
		cmd := exec.CommandContext(t.Context(), "bash", ".ci/release", version)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		assert.Error(t, err, version)
		assert.Contains(t, string(out), why, version)
	}
	for _, malformed := range []string{"", "0.1.0", "v0.1", "v0.01.0", "v2.0.0", "v0.1.0-", "v0.1.0 ", "cmd/polite/v0.1.0"} {
		refused(malformed, "no version")
	}
	run(t, dir, nil, "git", "tag", "cmd/polite/v0.1.0")
	refused("v0.1.0", "the tag cmd/polite/v0.1.0 is there already")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.go"), []byte("package polite\n"), 0o644))
	refused("v0.2.0", "the tree has changes")
	assert.Equal(t, "cmd/polite/v0.1.0\n", run(t, dir, nil, "git", "tag"))
}

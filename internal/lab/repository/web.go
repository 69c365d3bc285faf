package repository

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
)

// Online lets cmd, whose Env is set, find the web on this machine, as a proxy. The proxy
// has no TLS, so that the URLs must be plain.
func Online(t testing.TB, cmd *exec.Cmd, web *origintest.Server) {
	cmd.Env = slices.DeleteFunc(cmd.Env, func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return strings.HasSuffix(strings.ToUpper(name), "_PROXY")
	})
	cmd.Env = append(cmd.Env, "HTTP_PROXY=http://"+web.Address())
}

// Plain returns text with http for https.
func Plain(text string) string { return strings.ReplaceAll(text, "https://", "http://") }

package main

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite/internal/origintest"
)

// memory returns a network without sockets, for a bubble of synctest.
func memory(t *testing.T) network {
	return func(s *site) (string, http.RoundTripper, func()) {
		web := origintest.NewInMemory(t)
		web.Others(s.ServeHTTP)
		return "http://example.com", web.Transport(t), func() {}
	}
}

// README shows what the clients do that need no other language.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for row := range strings.Lines(table(memory(t), clients()[:3])) {
			if row = strings.TrimSuffix(row, " |\n"); !strings.HasPrefix(row, "|---") && !strings.Contains(string(readme), row) {
				t.Errorf("README does not have the row %q", row)
			}
		}
	})
}

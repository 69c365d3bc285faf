package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
)

// memory is a network without sockets, for a bubble of synctest.
func memory(s *site) (string, http.RoundTripper, func()) {
	return "http://example.com", inMemory{s}, func() {}
}

type inMemory struct{ *site }

func (m inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	answer := httptest.NewRecorder()
	m.ServeHTTP(answer, req)
	resp := answer.Result()
	resp.Request = req
	return resp, nil
}

// README shows what the clients do that need no other language.
func TestReadme(t *testing.T) {
	readme, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		for row := range strings.Lines(table(memory, clients()[:3])) {
			if row = strings.TrimSuffix(row, " |\n"); !strings.HasPrefix(row, "|---") && !strings.Contains(string(readme), row) {
				t.Errorf("README does not have the row %q", row)
			}
		}
	})
}

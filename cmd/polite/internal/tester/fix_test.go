package tester

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All findings of a check are mended, also those that lint does not list.
func TestFixAll(t *testing.T) {
	text := "User-agent: *\n"
	for i := range 821 {
		text += fmt.Sprintf("Disalow: /%d/\n", i)
	}
	c := serve(t, Start{}, nil)
	var a fixAnswer
	c.ask("fix", &a, asked(t, map[string]any{"check": "misspelled-record"}), part{"text", text})
	assert.Equal(t, 821, a.Edits)
	assert.Zero(t, a.Left)
	assert.NotContains(t, string(a.Text), "Disalow")
	assert.Equal(t, 821, bytes.Count(a.Text, []byte("Disallow: /")))
	assert.Empty(t, a.Effect.Verdicts, "it was read as meant")
}

// Several findings of a line are mended, also those whose edits overlap, and those that an edit
// brings to light.
func TestFixAllOfOneLine(t *testing.T) {
	for _, c := range []struct{ check, text, want string }{
		{"misspelled-use", "User-agent: *\nContent-Signal: ai_train=no, serach=yes\n", "User-agent: *\nContent-Signal: ai-train=no, search=yes\n"},
		{"invisible-character", "User-agent: *\nDisallow: \u200b/x\u200b\n", "User-agent: *\nDisallow: /x\n"},
		{"invisible-character", "User-agent: *\nDisallow: \u200b\u2060\u200b\n", "User-agent: *\nDisallow: \n"},
		{"redundant-rule", "User-agent: *\nDisallow: /ab\nDisallow: /a\nDisallow: /ab\n", "User-agent: *\nDisallow: /a\n"},
		{"two-patterns", "User-agent: *\nDisallow: /a /b /c\n", "User-agent: *\nDisallow: /a\nDisallow: /b\nDisallow: /c\n"},
	} {
		a, err := form{request: request{Check: c.check}, text: []byte(c.text)}.fix(context.Background())
		require.NoError(t, err, "%q", c.text)
		assert.Equal(t, c.want, string(a.Text))
		assert.Zero(t, a.Left)
	}
}

// What an edit changes is told before it is made.
func TestFixOne(t *testing.T) {
	text := "User-agent: *\nDisallow: /a\nDisallow: \\x\nDisallow: \\y\n"
	var found lint.Finding
	for _, f := range lint.Lint([]byte(text)) {
		if f.Edit != nil && f.Edit.Changes {
			found = f
			break
		}
	}
	require.NotZero(t, found, "the example has no edit that changes a verdict")
	c := serve(t, Start{}, nil)
	var a fixAnswer
	c.ask("fix", &a, asked(t, map[string]any{"check": found.ID, "line": found.Line, "column": found.Column}), part{"text", text})
	assert.Equal(t, 1, a.Edits)
	assert.Equal(t, string(found.Apply([]byte(text))), string(a.Text))
	require.NotEmpty(t, a.Effect.Verdicts)
	assert.Equal(t, found.Line, a.Effect.Verdicts[0].New.Line)

	resp, body := c.send(c.request("fix", asked(t, map[string]any{"check": found.ID, "line": 1, "column": 1}), part{"text", text}))
	assert.Equal(t, http.StatusBadRequest, resp.StatusCode)
	assert.Contains(t, body, "nothing to apply")
}

// On real files, edits that say that they change nothing change nothing, also all together.
// Each check comes to an end.
func TestFixOnCorpus(t *testing.T) {
	fixed := 0
	for i, body := range corpus.Bodies(t) {
		if i%20 > 0 || len(body) > 20_000 {
			continue
		}
		same := make(map[string]bool) // by check
		for _, f := range lint.Lint(body) {
			if f.Edit != nil {
				same[f.ID] = !f.Edit.Changes
			}
		}
		for id, same := range same {
			a, err := form{request: request{Check: id}, text: body}.fix(context.Background())
			if require.NoError(t, err, "%s in %q", id, body); !same {
				continue
			}
			fixed++
			ends := func(text []byte) bool { return bytes.HasSuffix(text, []byte("\n")) }
			assert.True(t, !ends(body) || ends(a.Text), "a browser cannot redo what takes the last line end: %s in %q", id, body)
			assert.Empty(t, a.Effect.Verdicts, "%s in %q", id, body)
		}
	}
	assert.Greater(t, fixed, 50)
}

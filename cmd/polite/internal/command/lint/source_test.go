package lint

import (
	"encoding/json"
	"testing"

	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An edit becomes a fix, with the columns of editors.
func TestFixes(t *testing.T) {
	for _, test := range []struct {
		name, body string
		edit       *lint.Edit
		want       string
	}{
		{"a part", "allow: /é/x", &lint.Edit{From: 10, To: 11, Text: "{}"}, `{"deletedRegion":{"startLine":1,"startColumn":10,"endLine":1,"endColumn":11},"insertedContent":{"text":"{}"}}`},
		{"an insertion", "allow: x", &lint.Edit{From: 7, To: 7, Text: "/"}, `{"deletedRegion":{"startLine":1,"startColumn":8,"endLine":1,"endColumn":8},"insertedContent":{"text":"/"}}`},
		{"a removal", "\uFEFFallow: /\U0001F600*\n", &lint.Edit{From: 15, To: 16}, `{"deletedRegion":{"startLine":1,"startColumn":11,"endLine":1,"endColumn":12}}`},
		{"after a part of the mark", "\xEFallow: x\n", &lint.Edit{From: 8, To: 8, Text: "/"}, `{"deletedRegion":{"startLine":1,"startColumn":8,"endLine":1,"endColumn":8},"insertedContent":{"text":"/"}}`},
		{"the mark", "\uFEFFallow: x", &lint.Edit{To: 3}, ""},
		{"no edit", "allow: x", nil, ""},
	} {
		s := source{Name: "robots.txt", Body: []byte(test.body), Findings: []lint.Finding{{ID: "nul", Line: 1, Column: 1, Edit: test.edit}}}
		var got struct {
			Runs []struct {
				Results []struct {
					Fixes []struct {
						ArtifactChanges []struct {
							ArtifactLocation struct{ URI string }
							Replacements     []json.RawMessage
						}
					}
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(sarifLog(lint.Checks(), []source{s}, nil)), &got))
		fixes := got.Runs[0].Results[0].Fixes
		if test.want == "" {
			assert.Empty(t, fixes, test.name)
			continue
		}
		require.Len(t, fixes, 1, test.name)
		assert.Equal(t, "robots.txt", fixes[0].ArtifactChanges[0].ArtifactLocation.URI)
		assert.JSONEq(t, test.want, string(fixes[0].ArtifactChanges[0].Replacements[0]), test.name)
	}
}

func TestRegions(t *testing.T) {
	for _, test := range []struct {
		body                    string
		line, octets, from, end int
	}{
		{"allow: /x", 1, 8, 8, 10},
		{"# a\nallow: /é/x", 2, 12, 11, 12},
		{"# a\r\nallow: /\U0001F600/x", 2, 13, 11, 13},
		{"allow: /\xff/x", 1, 10, 10, 12},
		{"\uFEFFallow: /x", 1, 11, 8, 10},
		{"\uFEFFallow: /x", 1, 1, 1, 10},
		{"\uFEFF# a\nallow: /x", 2, 8, 8, 10},
		{"\xEF\xBBallow: /x", 1, 10, 8, 10},
		{"", 1, 1, 1, 1},
		{"allow: /x", 1, 10, 10, 10}, // at its end
		{"allow: /x", 2, 1, 1, 1},    // after the last
	} {
		finding := lint.Finding{Line: test.line, Column: test.octets}
		s := source{Body: []byte(test.body), Findings: []lint.Finding{finding, finding}}
		lines := s.Lines()
		for _, f := range s.Findings {
			line, octet := lines(f)
			place := s.result(f, line, octet)["locations"].([]object)[0]["physicalLocation"].(object)
			assert.Equal(t, region(test.line, test.from, test.end), place["region"], "%q", test.body)
		}
	}
}

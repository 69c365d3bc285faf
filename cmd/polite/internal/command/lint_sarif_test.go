package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/lint"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A sarifRead is what a code scanner looks at.
type sarifRead struct {
	Version string
	Schema  string `json:"$schema"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name, InformationURI string
				Rules                []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
					DefaultConfiguration                    struct{ Level string }
				}
			}
		}
		ColumnKind  string
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine, StartColumn, EndLine, EndColumn int }
				}
			}
			Fixes []struct {
				ArtifactChanges []struct {
					ArtifactLocation struct{ URI string }
					Replacements     []struct {
						DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
						InsertedContent struct{ Text string }
					}
				}
			}
		}
	}
}

func TestLintSARIF(t *testing.T) {
	got := runCommand(t, "lint", "--sarif", slips)
	assert.Equal(t, 1, got.status)
	assert.Empty(t, got.stderr)
	var log sarifRead
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &log))
	assert.Equal(t, "2.1.0", log.Version)
	assert.NotEmpty(t, log.Schema)
	require.Len(t, log.Runs, 1)
	assert.Equal(t, "utf16CodeUnits", log.Runs[0].ColumnKind)

	driver := log.Runs[0].Tool.Driver
	assert.Equal(t, "polite", driver.Name)
	assert.Equal(t, verb.Home, driver.InformationURI)
	checks := slices.Concat(lint.Checks(), serving.Checks())
	require.Len(t, driver.Rules, len(checks))
	for i, c := range checks {
		assert.Equal(t, c.ID, driver.Rules[i].ID)
		for _, text := range []string{driver.Rules[i].ShortDescription.Text, driver.Rules[i].FullDescription.Text, driver.Rules[i].Help.Text} {
			assert.Equal(t, c.Summary, text)
		}
		assert.Equal(t, c.Severity.String(), driver.Rules[i].DefaultConfiguration.Level)
	}
	findings := found(t)
	text, err := os.ReadFile(slips)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	require.Len(t, log.Runs[0].Results, len(findings))
	for i, f := range findings {
		result := log.Runs[0].Results[i]
		assert.Equal(t, f.ID, result.RuleID)
		assert.Equal(t, f.ID, driver.Rules[result.RuleIndex].ID)
		assert.Equal(t, f.Severity.String(), result.Level)
		assert.Equal(t, f.Message, result.Message.Text)
		require.Len(t, result.Locations, 1)
		place := result.Locations[0].PhysicalLocation
		assert.Equal(t, slips, place.ArtifactLocation.URI)
		assert.Equal(t, f.Line, place.Region.StartLine)
		assert.Equal(t, f.Column, place.Region.StartColumn)
		assert.Equal(t, f.Line, place.Region.EndLine)
		assert.Equal(t, 1+len(lines[f.Line-1]), place.Region.EndColumn)
		if f.Edit == nil {
			assert.Empty(t, result.Fixes)
			continue
		}
		change := result.Fixes[0].ArtifactChanges[0]
		assert.Equal(t, slips, change.ArtifactLocation.URI)
		assert.Equal(t, f.Line, change.Replacements[0].DeletedRegion.StartLine)
		assert.Equal(t, f.Line, change.Replacements[0].DeletedRegion.EndLine)
		assert.Equal(t, f.Edit.From+1, change.Replacements[0].DeletedRegion.StartColumn)
		assert.Equal(t, f.Edit.To+1, change.Replacements[0].DeletedRegion.EndColumn)
		assert.Equal(t, f.Edit.Text, change.Replacements[0].InsertedContent.Text)
	}
}

// Where something could not be read, no results are no good news.
func TestLintSARIFUnread(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, test := range []struct {
		files      []string
		successful bool
		messages   int
	}{
		{[]string{"testdata/shop.txt"}, true, 0},
		{[]string{slips}, true, 0}, // that there are results is no failure
		{[]string{none}, false, 1},
		{[]string{none, slips, none}, false, 2},
	} {
		var log sarifRead
		got := runCommand(t, append([]string{"lint", "--sarif"}, test.files...)...)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &log))
		require.Len(t, log.Runs[0].Invocations, 1)
		invocation := log.Runs[0].Invocations[0]
		assert.Equal(t, test.successful, invocation.ExecutionSuccessful, test.files)
		require.Len(t, invocation.ToolExecutionNotifications, test.messages)
		for _, n := range invocation.ToolExecutionNotifications {
			assert.Equal(t, "error", n.Level)
			assert.Contains(t, n.Message.Text, none)
		}
	}
}

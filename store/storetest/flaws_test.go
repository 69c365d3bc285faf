package storetest_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// flawVariable names the flaw with which TestFlawed runs.
const flawVariable = "STORETEST_FLAW"

// TestFlawed runs a suite for a double with a flaw. TestFlaws starts it in a process of
// its own, where it may fail.
func TestFlawed(t *testing.T) {
	what, flaw, ok := strings.Cut(os.Getenv(flawVariable), ": ")
	switch {
	case !ok:
		t.Skip("it is run by TestFlaws")
	case what == "store":
		storetest.TestStore(t, storetest.Engine[*flawedStore]{
			Open:   func(*testing.T) *flawedStore { return newFlawedStore(flaw) },
			Reopen: func(_ *testing.T, s *flawedStore) *flawedStore { return s.reopen() },
			Join:   func(_ *testing.T, s *flawedStore) *flawedStore { return s.join() },
			Bubble: true,
		})
	default:
		storetest.TestTurns(t, storetest.Engine[*flawedTurns]{
			Open:   func(*testing.T) *flawedTurns { return newFlawedTurns(flaw) },
			Reopen: func(_ *testing.T, s *flawedTurns) *flawedTurns { return s.reopen() },
			Join:   func(_ *testing.T, s *flawedTurns) *flawedTurns { return s.join() },
			Bubble: true,
		})
	}
}

// A flaw of a double makes a test of the suite fail.
type flaw struct{ name, fails string }

// Each double breaks one rule, and a test of the suite must find that. Each test must
// find a flaw.
func TestFlaws(t *testing.T) {
	t.Parallel()
	for what, flaws := range map[string][]flaw{"store": storeFlaws, "turns": slices.Concat(turnsFlaws, queueFlaws)} {
		all, err := flawed(t, what+": none", time.Minute, "")
		require.NoError(t, err, all)
		useful := make(map[string]bool)
		for _, flaw := range flaws {
			useful[flaw.fails] = true
			t.Run(what+" that "+flaw.name, func(t *testing.T) {
				t.Parallel()
				out, err := flawed(t, what+": "+flaw.name, 3*time.Second, "/^"+regexp.QuoteMeta(flaw.fails)+"$")
				assert.Error(t, err, "%s\n%s", flaw.fails, out)
				assert.Contains(t, out, strings.ReplaceAll(flaw.fails, " ", "_"))
			})
		}
		for _, run := range regexp.MustCompile(`=== RUN   TestFlawed/(.*)`).FindAllStringSubmatch(all, -1) {
			name := strings.ReplaceAll(run[1], "_", " ")
			assert.True(t, useful[name], "no flaw for the test: %s", name)
		}
	}
}

// flawed runs tests of a suite for a double with a flaw, and returns what they print and
// whether they fail. If the flaw makes a test hang, it fails after patience.
func flawed(t *testing.T, flaw string, patience time.Duration, tests string) (out string, err error) {
	self, err := os.Executable()
	require.NoError(t, err)
	c := exec.CommandContext(t.Context(), self, "-test.v", "-test.timeout="+patience.String(), "-test.run=^TestFlawed$"+tests)
	c.Env = append(os.Environ(), flawVariable+"="+flaw)
	all, err := c.CombinedOutput()
	return string(all), err
}

package usage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// crawlers are the crawlers to which the examples speak.
var crawlers = []string{"ExampleBot", "OtherBot", "Googlebot"}

// The examples of the drafts, each with its meaning for three crawlers.
func TestDrafts(t *testing.T) {
	const attach1, attach3 = "User-Agent: *\nAllow: /\nContent-Usage: train-ai=n\n", `User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
`
	const yes, no, open = usage.Yes, usage.No, usage.NotStated
	for _, test := range []struct {
		section, file, target string
		use                   usage.Use
		want                  [3]usage.Preference
		allowed               [3]bool
	}{
		{"attach-05 §1.2", attach1, "/", usage.TrainAI, [3]usage.Preference{no, no, no}, [3]bool{true, true, true}},
		{"attach-05 §1.2", attach1, "/", usage.Search, [3]usage.Preference{open, open, open}, [3]bool{true, true, true}},
		{"attach-05 §3.4, table 1", attach3, "/test", usage.TrainAI, [3]usage.Preference{yes, no, no}, [3]bool{true, true, true}},
		{"attach-05 §3.4, table 1", attach3, "/never/test", usage.TrainAI, [3]usage.Preference{yes, no, no}, [3]bool{true, false, false}},
		{"attach-05 §3.4, table 1", attach3, "/ai-ok/test", usage.TrainAI, [3]usage.Preference{yes, yes, yes}, [3]bool{true, true, true}},
		{"vocab-07 §6", "user-agent: *\ncontent-usage: train-ai=y, search=n", "/", usage.TrainAI, [3]usage.Preference{yes, yes, yes}, [3]bool{true, true, true}},
		{"vocab-07 §6", "user-agent: *\ncontent-usage: train-ai=y, search=n", "/", usage.Search, [3]usage.Preference{no, no, no}, [3]bool{true, true, true}},
		{"vocab-07 §6.5.1", "user-agent: *\n" + `content-usage: train-ai=y, train-ai, search=n, search="n"`, "/", usage.TrainAI, [3]usage.Preference{}, [3]bool{true, true, true}},
		{"vocab-07 §6.5.1", "user-agent: *\n" + `content-usage: train-ai=y, train-ai, search=n, search="n"`, "/", usage.Search, [3]usage.Preference{}, [3]bool{true, true, true}},
		{"vocab-07 §6.5.2", "user-agent: *\ncontent-usage: train-ai;allow=n, train-ai=y", "/", usage.TrainAI, [3]usage.Preference{yes, yes, yes}, [3]bool{true, true, true}},
		{"vocab-07 §6.5.2", "user-agent: *\n" + `content-usage: train-ai;has;parameters="?";`, "/", usage.TrainAI, [3]usage.Preference{}, [3]bool{true, true, true}},
		{"contentsignals-00 §4", "user-agent: *\ncontent-signal: search=yes, ai-input=no, ai-train=no", "/", usage.TrainAI, [3]usage.Preference{no, no, no}, [3]bool{true, true, true}},
		{"contentsignals-00 §4", "user-agent: *\ncontent-signal: search=yes, ai-input=no, ai-train=no", "/", usage.AIInput, [3]usage.Preference{no, no, no}, [3]bool{true, true, true}},
		{"contentsignals-00 §4", "user-agent: *\ncontent-signal: search=yes, ai-input=no, ai-train=no", "/", usage.Search, [3]usage.Preference{yes, yes, yes}, [3]bool{true, true, true}},
	} {
		f := robots.Parse([]byte(test.file))
		for i, crawler := range crawlers {
			assert.Equal(t, test.want[i], usage.Of(f, test.target, crawler).Allows(test.use), "%s: %s for %s at %s", test.section, test.use, crawler, test.target)
			assert.Equal(t, test.allowed[i], f.Allowed(crawler, test.target), "%s: %s at %s", test.section, crawler, test.target)
		}
	}
}

package crawlers

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	assert.Greater(t, len(All()), 40)
	seen := make(map[string]bool)
	for _, c := range All() {
		assert.True(t, robots.IsProductToken(c.Name), c.Name)
		assert.False(t, seen[strings.ToLower(c.Name)], c.Name)
		seen[strings.ToLower(c.Name)] = true
		assert.NotEmpty(t, c.Owner, c.Name)
		assert.NotEmpty(t, c.Purpose, c.Name)
		require.NotEmpty(t, c.Kinds, c.Name)
		for _, k := range c.Kinds {
			assert.Contains(t, Kinds(), k, c.Name)
		}
		assert.Contains(t, []Status{"", Retired, Unofficial, Listed}, c.Status, c.Name)
		assert.Equal(t, c.Manners == "", c.Looked == "", c.Name)
		assert.True(t, c.Manners == "not said" || (c.Manners == "") == (c.Source == ""), c.Name)
		if c.Manners != "" {
			_, err := time.Parse(time.DateOnly, c.Looked)
			assert.NoError(t, err, c.Name)
		}
		if c.Source != "" {
			u, err := url.Parse(c.Source)
			assert.NoError(t, err)
			assert.Equal(t, "https", u.Scheme, c.Name)
		}
		assert.Empty(t, Meant(c.Name), "known")
		for _, other := range All() {
			assert.False(t, c.Name != other.Name && bare(c.Name) == bare(other.Name), "%s and %s", c.Name, other.Name)
		}
	}
}

func TestMeant(t *testing.T) {
	for written, want := range map[string]string{
		"Googlebto": "Googlebot", "GPT-Bot": "GPTBot", "Gogglebot": "Googlebot", "google-bot": "Googlebot",
		"Google Bot": "Googlebot", "Googlebot_News": "Googlebot-News", "bignbot": "bingbot", "Googlebo": "Googlebot", "Googlebotbot": "Googlebot", "Googlebotebot": "", "bingbots": "bingbot",
		"acebookexternalhit": "facebookexternalhit", "AhrefsBbot": "AhrefsBot", "CC-Bot": "CCBot", "claude-bot": "ClaudeBot",
		"googlebot": "", "GPTBOT": "", "roverbot": "", "msrbot": "", "wotbot": "", "crcbot": "", "oodlebot": "", "jooblebot": "",
		"AmazonAdBot": "", "AIBOT": "", "AI-Bot": "", "ExampleBot": "", "": "", "*": "", "a": "", "Mozilla": "", "bot": "", strings.Repeat("x", 1<<20): "",
	} {
		assert.Equal(t, want, Meant(written), "%.40s", written)
	}
}

func TestFind(t *testing.T) {
	c, ok := Find("gptbot")
	assert.True(t, ok)
	assert.Equal(t, "OpenAI", c.Owner)
	_, ok = Find("ExampleBot")
	assert.False(t, ok)
}

// The names of a kind are those that a robots.txt has to name.
func TestOfKind(t *testing.T) {
	in := 0
	for _, k := range Kinds() {
		assert.NotEmpty(t, OfKind(k), k)
		in += len(OfKind(k))
	}
	assert.GreaterOrEqual(t, in, len(All()))
	assert.Empty(t, OfKind("ai"))
	training := make(map[string]Status)
	for _, c := range OfKind(AITraining) {
		training[c.Name] = c.Status
	}
	assert.Contains(t, training, "GPTBot")
	assert.Contains(t, training, "CCBot")
	assert.NotContains(t, training, "OAI-SearchBot")
	assert.Equal(t, Retired, training["anthropic-ai"])
	assert.Equal(t, Unofficial, training["DeepSeekBot"])
}

// The caller may change what it gets.
func TestAllIsACopy(t *testing.T) {
	All()[0].Name = "x"
	OfKind(Search)[0].Name = "x"
	assert.Equal(t, "Googlebot", All()[0].Name)
}

func TestGoesBy(t *testing.T) {
	for name, want := range map[string]string{"googlebot-image": "Googlebot", "GoogleOther-Video": "GoogleOther", "yandexbot": "Yandex", "Googlebot": "", "GPTBot": "", "ExampleBot": ""} {
		assert.Equal(t, want, GoesBy(name), name)
	}
}

func TestGooglesCrawlers(t *testing.T) {
	for token, want := range map[string][2]bool{ // ignores everyone's group, crawl-delay
		"Googlebot":            {false, true},
		"GoogleOther-Image":    {false, true},
		"Storebot-Google":      {false, true},
		"AdsBot-Google":        {true, true},
		"AdsBot-Google-Mobile": {true, true},
		"apis-google":          {true, true},
		"Mediapartners-Google": {true, true},
		"GPTBot":               {false, false},
		"Amazonbot":            {false, true},
		"NotGoogle":            {false, false},
	} {
		assert.Equal(t, want, [2]bool{IgnoresEveryone(token), IgnoresDelay(token)}, token)
	}
}

func TestOfOwner(t *testing.T) {
	for name, want := range map[string]string{"OpenAI": "GPTBot", "chatgpt": "GPTBot", "Claude": "ClaudeBot", "BING": "bingbot", "google": "Googlebot", "Mistral": "MistralAI-User", "DeepSeek": "DeepSeekBot", "Facebook": "facebookexternalhit"} {
		all := OfOwner(name)
		if assert.NotEmpty(t, all, name) {
			assert.Equal(t, want, all[0].Name)
			assert.Equal(t, all[0].Owner, all[len(all)-1].Owner)
		}
	}
	assert.Empty(t, OfOwner("ExampleBot"))
	assert.Empty(t, OfOwner("Grok"))
	assert.Empty(t, OfOwner(""))
	owners := make(map[string]bool)
	for _, c := range All() {
		owners[c.Owner] = true
	}
	for product, owner := range products {
		assert.Equal(t, owner, Unread(product))
		assert.True(t, owners[owner] || owner == "xAI", owner)
	}
}

// A name of which an owner says that a crawler reads it is not unread, nor is one of an owner that nobody has asked.
func TestUnread(t *testing.T) {
	for name, want := range map[string]string{
		"OpenAI": "OpenAI", "chatgpt": "OpenAI", "Google": "Google", "META": "Meta", "Perplexity": "Perplexity", "deepseek": "DeepSeek", "xAI": "xAI",
		"Yandex": "", "Pinterest": "", "Diffbot": "", "img2dataset": "", "LinkedIn": "", "Slack": "", "X": "", "GPTBot": "", "": "",
	} {
		assert.Equal(t, want, Unread(name), name)
	}
}

func TestMayDisobey(t *testing.T) {
	for name, want := range map[string]bool{"ChatGPT-User": true, "perplexity-user": true, "GPTBot": false, "ExampleBot": false, "Bytespider": false} {
		assert.Equal(t, want, MayDisobey(name), name)
	}
}

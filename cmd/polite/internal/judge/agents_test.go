package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseAgent(t *testing.T) {
	for agent, want := range map[string][]string{
		"GPTBot":                         {"GPTBot"},
		"*":                              {anyOther},
		"GPTBot/1.2":                     {"GPTBot"},
		"Googlebot-News, Googlebot":      {"Googlebot-News", "Googlebot"},
		"Googlebot-Image/1.0":            {"Googlebot-Image", "Googlebot"},
		"googleother-video":              {"googleother-video", "GoogleOther"},
		"Googlebot-Image,a":              {"Googlebot-Image", "a"},
		"ExampleBot/1.0 (+https://a, b)": {"ExampleBot"},
		"Mozilla/5.0 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)": {"GPTBot"},
	} {
		got, err := ParseAgent(agent)
		assert.NoError(t, err)
		assert.Equal(t, want, got, agent)
	}
}

func TestDoubt(t *testing.T) {
	for agent, want := range map[string]string{
		"Googlebot":             "",
		"*":                     "",
		"googlebot-image":       "",
		"ExampleBot":            "",
		"ExampleBot, OtherBot":  "",
		"Googlebot/2.1 (+http)": "",
		"Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)": "",
		"Gogglebot":                "no crawler of the name Gogglebot is known: do you mean Googlebot?",
		"ExampleBot,Gogglebot":     "no crawler of the name Gogglebot is known: do you mean Googlebot?",
		"Gogglebot/2.1":            "no crawler of the name Gogglebot is known: do you mean Googlebot?",
		"Google Bot":               `"Google Bot" is read as Google, the product token that it begins with: do you mean Googlebot?`,
		"GPTBot,ClaudeBot":         "GPTBot and ClaudeBot are judged as one crawler with two names: name each apart",
		"Googlebot-News,Googlebot": "",
		"ChatGPT":                  `no crawler of OpenAI reads the name ChatGPT: "polite crawlers ChatGPT" lists its own`,
		"ExampleBot, Google":       `no crawler of Google reads the name Google: "polite crawlers Google" lists its own`,
		"Meta/1.0":                 `no crawler of Meta reads the name Meta: "polite crawlers Meta" lists its own`,
		"DeepSeek":                 `no crawler of DeepSeek reads the name DeepSeek: "polite crawlers DeepSeek" lists its own`,
		"Grok":                     "no crawler of xAI reads the name Grok, and none of another name is known",
		"Yandex":                   "",
		"My own bot":               `"My own bot" is read as My, the product token that it begins with: write a name of letters from a to z, digits, "-", "_" and "."`,
		"G\u0420TBot":              `"GРTBot" is read as G, the product token that it begins with, since none has 'Р' (U+0420): do you mean GPTBot?`,
		"GPT\u200bBot":             `"GPT\u200bBot" is read as GPT, the product token that it begins with, since none has '\u200b' (U+200B): do you mean GPTBot?`,
		"Müller-Bot/1.0 (Jürg)":    `"Müller-Bot/1.0 (Jürg)" is read as M, the product token that it begins with, since none has 'ü' (U+00FC): write a name of letters from a to z, digits, "-", "_" and "."`,
		"ShopBot/1.0 (Jürg, Bö)":   "",
		"ShopBot, (Jürg)":          "",
		"ShopBot, Shöp":            `"ShopBot, Shöp" is read as ShopBot, the product token that it begins with, since none has 'ö' (U+00F6): write a name of letters from a to z, digits, "-", "_" and "."`,
	} {
		tokens, err := ParseAgent(agent)
		require.NoError(t, err)
		assert.Equal(t, want, Doubt(agent, tokens), agent)
	}
}

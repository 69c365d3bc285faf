package judge

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParseAgent(t *testing.T) {
	for agent, want := range map[string][]string{
		"GPTBot":                         {"GPTBot"},
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
		"NotGoogle":            {false, false},
	} {
		assert.Equal(t, want, [2]bool{IgnoresEveryone(token), IgnoresDelay(token)}, token)
	}
}

package decode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestDeclaration(t *testing.T) {
	for text, want := range map[string]string{
		"<?xml version='1.0' encoding='utf8'?><a>":               "utf8",
		"\xEF\xBB\xBF \n<?xml encoding = \"x\" version='1.1' ?>": "x",
		"<?xml version='1.0'?><a encoding='x'>":                  "",
		"<a>":                                                    "",
		"<!-- --><?xml encoding='x'?>":                           "",
	} {
		size, label := Declaration([]byte(text))
		assert.Equal(t, want, label, text)
		assert.Equal(t, strings.Contains(text, "?>") && !strings.HasPrefix(text, "<!"), size > 0, text)
	}
}

func TestText(t *testing.T) {
	long, cut := strings.Repeat("<br>", 500), "ä"+strings.Repeat("a", 997)+"ä" // the last of 1000 octets is the first one of a letter
	for _, test := range []struct{ text, contentType, want, guessed string }{
		{"a", "text/html", "a", ""},
		{"\xe4", "text/html", "ä", "windows-1252"},
		{"ä", "text/html", "ä", "utf-8"},
		{long + "ä", "text/html", long + "ä", "utf-8"},
		{long + "\xe4", "text/html; charset=none", long + "ä", "windows-1252"},
		{"\xe4", "text/html; charset=iso-8859-1", "ä", ""},
		{"\xb0", "text/html; charset=iso-8859-5", "А", ""},
		{"<meta charset=iso-8859-5>\xb0", "text/html", "<meta charset=iso-8859-5>А", ""},
		{cut, "text/html", cut, "utf-8"},
		{cut + "a", "text/html", cut + "a", "utf-8"},
		{"<meta charset=utf-8>" + long + "ä", "text/html", "<meta charset=utf-8>" + long + "ä", ""},
		{"<?xml encoding='iso-8859-5'?>\xb0", "application/xml", "<?xml encoding='iso-8859-5'?>А", ""},
		{"<?xml encoding='iso-8859-5'?>\xe4", "application/xml; charset=iso-8859-1", "<?xml encoding='iso-8859-5'?>ä", ""},
		{`"ä"`, "application/json", `"ä"`, ""},
	} {
		got, guessed := Text([]byte(test.text), test.contentType)
		assert.Equal(t, test.want, string(got))
		assert.Equal(t, test.guessed, guessed, test.text)
	}
}

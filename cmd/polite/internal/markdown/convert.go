package markdown

import (
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// convert returns what was kept of a page as Markdown. It escapes nothing: the text is for a
// reader who is not misled by a "*", and no program shows it. The parser refuses elements that
// are nested too deeply; of such a page there is the text alone.
func convert(c *cleaner) string {
	doc, err := html.Parse(strings.NewReader(c.out.String()))
	if err != nil {
		return restored(html.UnescapeString(tag.ReplaceAllString(c.out.String(), "\n")))
	}
	tables := table.NewTablePlugin(
		table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), // aligned cells would grow with the square
		table.WithNewlineBehavior(table.NewlineBehaviorPreserve),
	)
	conv := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), tables),
	)
	text, err := conv.ConvertNode(doc)
	if err != nil {
		return ""
	}
	return restored(string(text))
}

// restored returns text with each "<" and ">" that was written as something else.
func restored(text string) string {
	return strings.TrimSpace(back.Replace(text))
}

// tag matches tags in a row, as they are kept.
var tag = regexp.MustCompile(`(?:</?[a-z0-9]+(?: [a-z]+="[^"]*")?>\s*)+`)

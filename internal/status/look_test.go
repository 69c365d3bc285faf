package status

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The end of each mark has a whole gram wherever it stands, and a mark fits into what is kept.
func TestMarks(t *testing.T) {
	for _, mark := range marks {
		assert.GreaterOrEqual(t, len(mark), endSize, string(mark))
		assert.LessOrEqual(t, len(mark), longestMark, string(mark))
	}
}

// A mark is found wherever it stands in the first 4 KB, and however the page is read; and nowhere else.
func TestLook(t *testing.T) {
	for _, mark := range marks {
		for cut := range mark {
			var look Look
			assert.True(t, look.Finds(mark[:cut]) || look.Finds(mark[cut:]), "%s, cut after %d", mark, cut)
		}
		mark := string(mark)
		for _, at := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 100, 1000, Reach - len(mark)} {
			page := strings.Repeat("<p>", Reach)[:at] + mark + strings.Repeat("<p>", Reach)
			for _, step := range []int{1, 2, 7, len(mark) - 1, at + 1, at + len(mark) - 1, 512, len(page)} {
				assert.True(t, reads(page, step), "%s at %d, read by %d", mark, at, step)
			}
		}
		late := strings.Repeat("<p>", Reach)[:Reach-len(mark)+1] + mark
		cut := "<p>" + mark[:len(mark)-1] + strings.Repeat("<p>", Reach)
		apart := "<p>" + mark[:len(mark)/2] + "-" + mark[len(mark)/2:] + strings.Repeat("<p>", Reach)
		for _, step := range []int{1, 2, 7, 512, len(late)} {
			assert.False(t, reads(late, step), "%s after 4 KB", mark)
			assert.False(t, reads(cut, step), "the beginning of %s", mark)
			assert.False(t, reads(apart, step), "the halves of %s", mark)
		}
	}
}

// An ordinary page costs less than a microsecond.
func BenchmarkLook(b *testing.B) {
	for name, page := range map[string]string{"English": english, "tags": strings.Repeat("<p>", Reach)} {
		for _, step := range []int{512, Reach} {
			b.Run(fmt.Sprint(name, " by ", step), func(b *testing.B) {
				text := []byte(page)[:Reach]
				b.ReportAllocs()
				for b.Loop() {
					var look Look
					for at := 0; at < len(text); at += step {
						look.Finds(text[at : at+step])
					}
				}
			})
		}
	}
}

// english is the beginning of a page as sites write it: a head, and text.
var english = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Shoes for all seasons</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="Shoes, and more">
<link rel="stylesheet" href="/static/css/main.css?v=12"><script src="https://js.example.com/tags.js" async></script>
<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}</script></head><body>
` + strings.Repeat("<div class=\"item\"><a href=\"/shoes/12\">Shoes</a> <p>Whoever walks much needs more than one pair.</p></div>\n", 100)

// reads reads a page in steps, and reports whether a mark is found once.
func reads(page string, step int) bool {
	var look Look
	found := 0
	for len(page) > 0 && !look.Over() {
		n := min(max(step, 1), len(page))
		if look.Finds([]byte(page[:n])) {
			found++
		}
		page = page[n:]
	}
	return found == 1
}

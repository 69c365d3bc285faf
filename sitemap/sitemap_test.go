package sitemap

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func packed(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

// utf16 returns a text of ASCII in UTF-16, with a mark.
func utf16(text string) string {
	octets := "\xfe\xff"
	for _, c := range []byte(text) {
		octets += "\x00" + string(rune(c))
	}
	return octets
}

func TestRead(t *testing.T) {
	const head = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">`
	for _, test := range []struct{ name, text, want string }{
		{"URLs", head + "<url><loc> /a?b&amp;c </loc><lastmod>2026</lastmod></url><url><loc><![CDATA[/b?c&d]]></loc></url></urlset>", "/a?b&c /b?c&d"},
		{"one without a URL", "<urlset><url><loc> </loc></url><url><lastmod>2026</lastmod></url><url><loc>/a</loc></url></urlset>", "/a"},
		{"one with two", "<urlset><url><loc>/a</loc><loc>/b</loc></url></urlset>", "/a /b"},
		{"damaged octets", "<urlset><url><loc>/a\xff</loc></url>\x00\x1b<url><loc>/b\x01\uFFFE\uFFFF\u3000</loc></url>\t\r\n</urlset>", "/a\uFFFD /b\uFFFD\uFFFD\uFFFD"},
		{"damaged in another encoding", "<?xml version='1.0' encoding='windows-1252'?><urlset><url><loc>/\xe9\x01</loc></url></urlset>", "/é\uFFFD"},
		{"images", head + "<url><loc>/a</loc><image:image><image:loc>/a.png</image:loc></image:image></url></urlset>", "/a"},
		{"an index", "<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>", "sitemap:/s.xml"},
		{"a raw &", "<urlset><url><loc>/a?b&c=d</loc></url></urlset>", "/a?b&c=d"},
		{"compressed", packed("<urlset><url><loc>/a</loc></url></urlset>"), "/a"},
		{"in another encoding", "<?xml version='1.0' encoding='ISO-8859-1'?><urlset><url><loc>/\xe9</loc></url></urlset>", "/é"},
		{"in UTF-16, turned round", "\xff\xfe<\x00u\x00r\x00l\x00s\x00e\x00t\x00/\x00>\x00", ""},
		{"in UTF-16", utf16("<?xml version='1.0' encoding='UTF-16'?><urlset><url><loc>/a</loc></url></urlset>"), "/a"},
		{"XML 1.1", "\xEF\xBB\xBF\n<?xml version='1.1' encoding='utf8'?><urlset><url><loc>/a</loc></url></urlset>", "/a"},
		{"a declaration in a wrong place", "<!-- x --><?xml version='1.0' encoding='x-none'?><urlset><url><loc>/a</loc></url></urlset>", "/a"},
		{"in windows-1251", "<?xml encoding='windows-1251' version='1.0'?><urlset><url><loc>/\xc0</loc></url></urlset>", "/А"},
		{"in no encoding", "<?xml version='1.0' encoding='x-none'?><urlset>", `error: xml: opening charset "x-none": unsupported charset: "x-none"`},
		{"a text", "\xEF\xBB\xBFhttps://a.example/1 \r\n\n# no\n/2\n//a.example/2\nftp://a.example/2\nhttp:2\nhttps://a.example/3", "https://a.example/1 https://a.example/3"},
		{"a text in UTF-16", utf16("https://a.example/1\n"), "https://a.example/1"},
		{"a compressed text", packed("https://a.example/1\n"), "https://a.example/1"},
		{"a text without URLs", "\nhello\nhttps://a.example/1", "error: it is no sitemap: it is neither XML nor a text with a URL a line"},
		{"a long URL", "https://a.example/" + strings.Repeat("x", 100_000), "https://a.example/" + strings.Repeat("x", 100_000)},
		{"a long line", "https://a.example/1\n" + strings.Repeat("x", 2<<20), "https://a.example/1 error: bufio.Scanner: token too long"},
		{"damaged", "\x1f\x8bx", "error: it cannot be unpacked: unexpected EOF"},
		{"none", "<urlset/>", ""},
		{"nothing", "", ""},
		{"cut short", "<urlset><url><loc>/a</loc></url><url><lo", "/a error: XML syntax error on line 1: unexpected EOF"},
		{"a web page", "<!DOCTYPE html><html><loc>/a</loc>", "error: it is no sitemap: it begins with <html>"},
		{"nested", "<urlset>" + strings.Repeat("<url>", 1<<20), "error: it is no sitemap: its elements are nested too deeply"},
		{"ends alone", "<urlset></urlset></a></b>", "error: XML syntax error on line 1: unexpected end element </a>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for e, err := range Read(strings.NewReader(test.text)) {
				switch {
				case err != nil:
					got = append(got, "error: "+err.Error())
				case e.Sitemap:
					got = append(got, "sitemap:"+e.URL)
				default:
					got = append(got, e.URL)
				}
			}
			assert.Equal(t, test.want, strings.Join(got, " "))
		})
	}
}

// Entries tell when a page was changed, however exactly the site says so, before its URL or behind it.
func TestLastMod(t *testing.T) {
	for text, want := range map[string]string{
		"2026":                      "2026-01-01T00:00:00Z",
		"2026-05":                   "2026-05-01T00:00:00Z",
		" 2026-05-04\n":             "2026-05-04T00:00:00Z",
		"2026-05-04T12:30+02:00":    "2026-05-04T12:30:00+02:00",
		"2026-05-04T12:30:01.5Z":    "2026-05-04T12:30:01Z",
		"2026-05-04T12:30:01-03:00": "2026-05-04T12:30:01-03:00",
		"2026-05-04T12:30:01":       "2026-05-04T12:30:01Z",
		"2026-02-30":                "0001-01-01T00:00:00Z",
		"yesterday":                 "0001-01-01T00:00:00Z",
		"":                          "0001-01-01T00:00:00Z",
	} {
		for _, entry := range []string{"<loc>/a</loc><lastmod>" + text + "</lastmod>", "<lastmod>" + text + "</lastmod><loc>/a</loc>"} {
			n := 0
			for e, err := range Read(strings.NewReader("<urlset><url>" + entry + "</url><url><loc>/b</loc></url></urlset>")) {
				require.NoError(t, err)
				if n++; n == 1 {
					assert.Equal(t, want, e.LastMod.Format(time.RFC3339), entry)
				} else {
					assert.Zero(t, e.LastMod)
				}
			}
			assert.Equal(t, 2, n)
		}
	}
}

// What unpacks to more than a sitemap may have is read no further.
func TestUnpackBounded(t *testing.T) {
	read, err := io.ReadAll(&bounded{strings.NewReader("abc"), 2})
	assert.Equal(t, "ab", string(read))
	assert.Equal(t, errTooLarge, err)
	long.NotShort(t)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range MaxSize>>20 + 1 {
		w.Write(zeros)
	}
	w.Close()
	assert.Less(t, packed.Len(), 1<<20)
	r, err := Unpack(&packed)
	require.NoError(t, err)
	var n int64
	n, err = io.Copy(io.Discard, r)
	assert.EqualError(t, err, "it is larger than 64 MiB")
	assert.EqualValues(t, MaxSize, n)
	_, err = Unpack(strings.NewReader("\x1f\x8bx"))
	assert.ErrorContains(t, err, "it cannot be unpacked")
}

func FuzzRead(f *testing.F) {
	f.Add("<urlset><url><loc>/a</loc></url></urlset>")
	f.Add("<sitemapindex><sitemap><loc>")
	f.Add("https://a.example/1\n")
	f.Add(utf16("<urlset><url><loc>/a"))
	f.Add(packed("<?xml encoding='ISO-8859-1'?>"))
	f.Fuzz(func(t *testing.T, text string) {
		for range Read(strings.NewReader(text)) {
		}
	})
}

// A piece of XML that has no end takes no memory, in whatever encoding and place.
func TestLongPiece(t *testing.T) {
	long := strings.Repeat("a", 3<<20)
	for name, text := range map[string]string{
		"location":  "<urlset><url><loc>" + long,
		"pieces":    "<urlset><url><loc>" + strings.Repeat("<!---->"+long[:1000], 3<<10),
		"name":      "<urlset><" + long,
		"attribute": `<urlset x="` + long,
		"comment":   "<urlset><!--" + long,
		"space":     "<urlset>" + long,
		"latin":     `<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>` + long,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for entry, err := range Read(strings.NewReader(text)) {
				assert.ErrorContains(t, err, "longer than 2097152 octets", entry)
			}
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(15<<20))
		})
	}
}

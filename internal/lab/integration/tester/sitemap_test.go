package tester

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The URLs of a sitemap are tested, be it on a site or in a file, and compressed.
func TestURLsOfASitemap(t *testing.T) {
	const entries = `<urlset><url><loc>https://a.example/private/1</loc></url><url><loc>https://a.example/2</loc></url></urlset>`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sitemap.xml" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, entries)
	}))
	defer site.Close()
	want := []string{"✕ disallowed https://a.example/private/1 line 3", "✓ allowed https://a.example/2"}
	for _, v := range []view{wide, phone} {
		p := open(t, v, start(t).Link)
		p.write("#sitemap-url", site.URL+"/sitemap.xml")
		p.answered(func() { p.click("#sitemap [type=submit]") })
		assert.Equal(t, want, p.verdicts())
		p.until(`document.querySelector('#sitemap-told').textContent.includes('2 URLs are taken')`)
		p.answered(func() { p.click("#sitemap-told button") })
		assert.Len(t, p.verdicts(), 3, "the URLs of before are back")

		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := w.Write([]byte(entries))
		require.NoError(t, err)
		require.NoError(t, w.Close())
		file := filepath.Join(t.TempDir(), "sitemap.xml.gz")
		require.NoError(t, os.WriteFile(file, packed.Bytes(), 0o600))
		p.answered(func() { p.do(chromedp.SetUploadFiles(chromedp.CSS("#urls-file"), []string{file}, chromedp.NodeReady)) })
		assert.Equal(t, want, p.verdicts())

		p.quiet = true // Chromium says on the console that the command has answered with an error
		p.write("#sitemap-url", site.URL+"/none.xml")
		p.click("#sitemap [type=submit]")
		p.until(`document.querySelector('#sitemap-told .wrong')?.textContent.includes('404')`)
		assert.Equal(t, want, p.verdicts(), "the URLs stay")
	}
}

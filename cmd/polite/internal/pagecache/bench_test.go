package pagecache_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/require"
)

// A page of 20 kB: from the disk, after a 304, kept for the first time, and without a
// cache.
func BenchmarkPage(b *testing.B) {
	page := strings.Repeat("page", 5000)
	for _, test := range []struct {
		name  string
		site  http.HandlerFunc
		keeps bool
	}{
		{"hit", answer(page, hour), true},
		{"unchanged", tagged(page, `"1"`), true},
		{"miss", answer(page, hour, "Vary: Accept"), true},
		{"no cache", answer(page, hour), false},
	} {
		b.Run(test.name, func(b *testing.B) {
			s := origintest.New(b)
			s.Page(host, "/a", test.site)
			t := &pagecache.Transport{Polite: &polite.Transport{
				UserAgent: "ExampleBot/1.0", Base: s.Transport(b),
				Pace: polite.Pace{Backoff: polite.Backoff{Off: true}},
			}}
			if test.keeps {
				t.Folder = &pagecache.Folder{Name: b.TempDir()}
			}
			accepts := []string{"text/html", "text/plain"}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+host+"/a", nil)
				require.NoError(b, err)
				req.Header.Set("Accept", accepts[i%2])
				resp, err := t.RoundTrip(req)
				require.NoError(b, err)
				_, err = io.Copy(io.Discard, resp.Body)
				require.NoError(b, err)
				resp.Body.Close()
			}
		})
	}
}

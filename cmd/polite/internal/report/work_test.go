package report

import (
	"io"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/parallel"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// atWork is work that has begun.
func atWork(t *testing.T, total int) *Work {
	w := &Work{Line: terminal.ProgressOn(io.Discard), Done: "done", Total: total}
	t.Cleanup(w.Run(t.Context()))
	return w
}

func (w *Work) told() string { return w.text(time.Now()) }

func parse(t *testing.T, s string) *url.URL {
	u, err := url.Parse(s)
	require.NoError(t, err)
	return u
}

// One URL is told by what takes its time, as soon as it takes a moment.
func TestOneURL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := atWork(t, 1)
		w.Follow(parse(t, "https://user:secret@a.example/x"))
		time.Sleep(moment - time.Nanosecond)
		assert.Empty(t, w.told())
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "asking https://a.example", w.told())
		w.Follow(parse(t, "https://bücher.example:8443/x"))
		assert.Equal(t, "asking https://xn--bcher-kva.example:8443", w.told())
		over := w.Do(countdown(polite.Decision{Origin: "https://b.example", Start: time.Now().Add(20 * time.Second), Gap: 20 * time.Second, CrawlDelay: time.Minute}, 20*time.Second, false))
		assert.Equal(t, "waiting 20s for https://b.example: crawl-delay of 1m0s", w.told())
		time.Sleep(19 * time.Second)
		assert.Equal(t, "waiting 1s for https://b.example: crawl-delay of 1m0s", w.told())
		over()
		assert.Equal(t, "asking https://xn--bcher-kva.example:8443", w.told())
		w.Next()
		time.Sleep(time.Minute)
		assert.Empty(t, w.told(), "there is no other")
	})
}

// Of several URLs the number is told, and what takes the time of the next.
func TestSeveralURLs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := atWork(t, 5)
		assert.Empty(t, w.told())
		w.Ask(parse(t, "https://a.example/"))
		w.Ask(parse(t, "https://b.example/"))
		w.Ask(nil)
		w.Ask(parse(t, "https://c.example/"))
		time.Sleep(2 * time.Second)
		assert.Equal(t, "0 of 5 done; asking https://a.example", w.told())
		w.Next()
		time.Sleep(moment - time.Nanosecond)
		assert.Equal(t, "1 of 5 done", w.told(), "b has just begun")
		time.Sleep(time.Nanosecond)
		assert.Equal(t, "1 of 5 done; asking https://b.example", w.told())
		w.Next()
		time.Sleep(5 * time.Second)
		assert.Equal(t, "2 of 5 done", w.told(), "nobody is asked")
		w.Next()
		time.Sleep(moment)
		assert.Equal(t, "3 of 5 done; asking https://c.example", w.told())
		w.Next()
		time.Sleep(5 * time.Second)
		assert.Equal(t, "4 of 5 done", w.told(), "nobody is asked")
	})
}

// The total of a list is known as soon as the list is read to its end, however few are done.
func TestListTotal(t *testing.T) {
	list := slices.Values(make([]judge.Question, 5))
	for ahead, want := range map[int][]string{
		10: {"1 of 5 done", "2 of 5 done"},
		0:  {"1 done", "2 done"},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := atWork(t, 0)
			var told []string
			for range parallel.Ahead(w.Count(t.Context(), list, false), ahead) {
				if time.Sleep(2 * time.Second); len(told) < len(want) {
					w.Next()
					told = append(told, w.told())
				}
			}
			assert.Equal(t, want, told)
		})
	}
}

// If nobody knows how many there will be, nobody knows when they are done.
func TestUnknownTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := atWork(t, 0)
		for range 3000 {
			time.Sleep(time.Millisecond)
			w.Next()
		}
		assert.Equal(t, "3000 done", w.told())
	})
}

// A slow is a page that comes in pieces, one each second.
type slow struct{ rest string }

func (s *slow) Read(p []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	time.Sleep(time.Second)
	n := copy(p, s.rest[:min(len(s.rest), 1000)])
	s.rest = s.rest[n:]
	return n, nil
}

func TestDownload(t *testing.T) {
	for _, test := range []struct {
		name string
		urls int
		size int64
		want string
	}{
		{"size known", 1, 10_000, "4.0 kB of 10.0 kB"},
		{"size not known", 1, -1, "4.0 kB"},
		{"too large for a guess", 1, 1 << 62, "4.0 kB of 4.6 EB"},
		{"one of several", 3, 10_000, "0 of 3 done; page: 4.0 kB of 10.0 kB"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := atWork(t, test.urls)
				page, over := w.Download(&slow{strings.Repeat("x", 10_000)}, test.size)
				for range 4 {
					_, err := page.Read(make([]byte, 4096))
					require.NoError(t, err)
					w.told()
				}
				assert.Equal(t, test.want, w.told())
				over()
				assert.NotContains(t, w.told(), "kB")
			})
		})
	}
}

// The page is the same, whether it is counted or not.
func TestDownloadIsThePage(t *testing.T) {
	w := &Work{Total: 1}
	page, over := w.Download(strings.NewReader("text"), 4)
	defer over()
	text, err := io.ReadAll(page)
	require.NoError(t, err)
	assert.Equal(t, "text", string(text))
}

func TestSize(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0 B", 1: "1 B", 999: "999 B", 999.6: "1.0 kB", 1000: "1.0 kB", 1250: "1.2 kB", 99_940: "99.9 kB", 99_960: "100 kB",
		450_000: "450 kB", 999_499: "999 kB", 999_500: "1.0 MB", 3_400_000: "3.4 MB", 12e9: "12.0 GB", math.MaxInt64: "9.2 EB", 1e22: "10000 EB",
	} {
		assert.Equal(t, want, size(n), n)
	}
}

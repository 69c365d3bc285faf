package queue_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/queue"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A book is a Journal in memory.
type book struct {
	mu     sync.Mutex
	lines  map[string][]byte
	writes int
	err    error
}

func (b *book) Write(ctx context.Context, changes map[string][]byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if b.err != nil {
		return b.err
	}
	if b.lines == nil {
		b.lines = make(map[string][]byte)
	}
	b.writes++
	maps.Copy(b.lines, changes)
	maps.DeleteFunc(b.lines, func(_ string, value []byte) bool { return value == nil })
	return nil
}

func (b *book) Lines(context.Context) iter.Seq2[store.Line, error] {
	return func(yield func(store.Line, error) bool) {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, key := range slices.Sorted(maps.Keys(b.lines)) {
			if !yield(store.Line{Key: key, Value: b.lines[key]}, nil) {
				return
			}
		}
		if b.err != nil {
			yield(store.Line{}, b.err)
		}
	}
}

// A queue goes on in another process where it was: with items, tries, values, what is known and gone, and
// what was taken of the budget.
func TestJournal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site {
			return site{robots: delayed(1), page: func(path string) (int, http.Header) {
				if path == "/0" {
					return http.StatusNotFound, nil
				}
				return http.StatusOK, nil
			}}
		}}
		b := new(book)
		next := func() *queue.Queue[int] {
			q := newQueue(w, polite.Pace{})
			q.Journal, q.Most = b, queue.Budget{Pages: 10}
			return q
		}
		q := next()
		for i := range 10 {
			added, err := q.PushNew(fmt.Sprintf("http://example.com/%d", i), i)
			require.NoError(t, err)
			require.True(t, added)
		}
		ctx, stop := context.WithTimeout(t.Context(), 4500*time.Millisecond)
		defer stop()
		assert.ErrorIs(t, q.Run(ctx, 2, func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
			if item.Value == 1 {
				return q.PushAgain(item)
			}
			return err
		}), context.DeadlineExceeded)
		assert.LessOrEqual(t, b.writes, 6)

		q = next()
		assert.Equal(t, 6, q.Progress().Left)
		var left []queue.Item[int]
		for item := range q.Left() {
			left = append(left, item)
		}
		assert.Equal(t, queue.Item[int]{URL: "http://example.com/5", Value: 5}, left[0])
		assert.Equal(t, queue.Item[int]{URL: "http://example.com/1", Value: 1, Tries: 1}, left[5])
		added, err := q.PushNew("http://example.com/0", 0)
		require.NoError(t, err)
		assert.False(t, added)
		assert.True(t, q.Gone("http://example.com/0"))
		assert.ErrorIs(t, q.Push("http://example.com/more", 0), queue.ErrBudget)
		require.NoError(t, q.Run(t.Context(), 2, nothing(t)))
		assert.Len(t, w.arrivals, 11)
		assert.Zero(t, next().Progress().Left)
	})
}

// What was pushed is kept, also if ctx has ended when Run begins. Run says why ctx has ended.
func TestJournalAfterTheEnd(t *testing.T) {
	b, interrupt := new(book), errors.New("an interrupt")
	q := newQueue(&web{}, polite.Pace{})
	q.Journal = b
	push(t, q, "example.com", 3)
	ctx, stop := context.WithCancelCause(t.Context())
	stop(interrupt)
	assert.Equal(t, interrupt, q.Run(ctx, 1, nothing(t)))
	next := queue.Queue[int]{Journal: b}
	assert.Equal(t, 3, next.Progress().Left)
}

// A Journal that fails ends Run and Push with an error, and what could not be written is written later.
func TestJournalFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("the disk is full")
		w := &web{site: func(string) site { return site{robots: delayed(10)} }}
		q, b := newQueue(w, polite.Pace{}), new(book)
		q.Journal = b
		push(t, q, "example.com", 5)
		time.AfterFunc(15*time.Second, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.err = broken
		})
		assert.ErrorIs(t, q.Run(t.Context(), 1, nothing(t)), broken)
		assert.InDelta(t, 3, q.Progress().Left, 1)
		assert.ErrorIs(t, q.Run(t.Context(), 1, nothing(t)), broken)
		other := newQueue(w, polite.Pace{})
		other.Journal = b
		assert.ErrorIs(t, other.Push("http://example.com/", 0), broken)
		assert.ErrorIs(t, other.Run(t.Context(), 1, nothing(t)), broken)
		b.err = nil
		require.NoError(t, q.Run(t.Context(), 1, nothing(t)))
		assert.Empty(t, b.lines)

		var impossible queue.Queue[func()]
		impossible.Journal = new(book)
		assert.ErrorContains(t, impossible.Push("http://example.com/", func() {}), "cannot keep the value")
	})
}

// Many pushes before Run do not wait in memory.
func TestJournalOfMany(t *testing.T) {
	b := new(book)
	q := queue.Queue[int]{Journal: b}
	for i := range 50_000 {
		require.NoError(t, q.Push(fmt.Sprintf("http://%d.example/", i), i))
	}
	assert.Equal(t, 2, b.writes)
	assert.Len(t, b.lines, 40_000)
}

const toBeKilled = "QUEUE_TEST_FILE"

// A marked Journal tells when it writes.
type marked struct{ store.Journal }

func (m marked) Write(ctx context.Context, changes map[string][]byte) error {
	os.Stdout.WriteString("writes\n")
	err := m.Journal.Write(ctx, changes)
	if err == nil {
		os.Stdout.WriteString("wrote\n")
	}
	return err
}

const killedWorkers = 4

func killedPages() int { return long.Or(250, 1000) }

// TestCrawlOfChild is the process that TestKilled kills: it crawls three sites, each a tree of pages.
func TestCrawlOfChild(t *testing.T) {
	path := os.Getenv(toBeKilled)
	if path == "" {
		t.Skip("it is for TestKilled")
	}
	file, err := boltstore.Open(path, boltstore.Options{Wait: time.Minute})
	require.NoError(t, err)
	q := newQueue(&web{site: func(string) site { return site{takes: 10 * time.Millisecond} }}, polite.Pace{})
	q.Journal = marked{file.Journal("crawl")}
	for i := range 3 {
		_, err := q.PushNew(fmt.Sprintf("http://%d.example/0", i), 0)
		require.NoError(t, err)
	}
	require.NoError(t, q.Run(t.Context(), killedWorkers, func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
		os.Stdout.WriteString("page " + item.URL + "\n")
		at := item.URL[:strings.LastIndex(item.URL, "/")]
		for n := 2*item.Value + 1; n <= 2*item.Value+2 && n < killedPages(); n++ {
			if _, err := q.PushNew(fmt.Sprint(at, "/", n), n); err != nil {
				return err
			}
		}
		return err
	}))
	require.NoError(t, file.Close())
	os.Stdout.WriteString("done\n")
}

// However often a crawl is killed, no page is lost, and only those are done again that were handled after
// the last write.
func TestKilled(t *testing.T) {
	path, random := filepath.Join(t.TempDir(), "crawl"), rand.New(rand.NewPCG(long.Seed(t), 0))
	handled, safe := make(map[string]int), make(map[string]bool)
	for kills := long.Or(3, 10); ; kills-- {
		after := -1
		if kills > 0 {
			after = random.IntN(killedPages())
		}
		if crawlUntil(t, path, after, handled, safe) {
			break
		}
		require.Greater(t, kills, 0, "it ends")
	}
	assert.Len(t, handled, 3*killedPages())
	t.Logf("%d pages were handled again", countAgain(handled))
}

func countAgain(handled map[string]int) (n int) {
	for _, times := range handled {
		n += times - 1
	}
	return n
}

// crawlUntil runs a crawl, and kills it after so many pages, unless that is negative. It reports whether it was
// done.
func crawlUntil(t *testing.T, path string, pages int, handled map[string]int, safe map[string]bool) (done bool) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrawlOfChild$")
	cmd.Env = append(os.Environ(), toBeKilled+"="+path, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var told []string // pages of this process
	begun, written := 0, 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		page, isPage := strings.CutPrefix(lines.Text(), "page ")
		switch {
		case isPage:
			told = append(told, page)
			assert.False(t, safe[page], "%s again", page)
			if handled[page]++; pages >= 0 && len(told) == pages {
				cmd.Process.Kill()
			}
		case lines.Text() == "writes":
			begun = len(told)
		case lines.Text() == "wrote":
			written = begun
		case lines.Text() == "done":
			done = true
		}
	}
	cmd.Wait()
	for _, page := range told[:max(written-killedWorkers, 0)] { // the last ones may not have been handled yet
		safe[page] = true
	}
	return done
}

// A second queue of a Journal gets an error before it takes an item.
func TestJournalOfTwo(t *testing.T) {
	file, err := boltstore.Open(filepath.Join(t.TempDir(), "crawl"), boltstore.Options{})
	require.NoError(t, err)
	q := queue.Queue[int]{Journal: file.Journal("crawl")}
	require.NoError(t, q.Push("http://example.com/", 1))
	second := newQueue(&web{}, polite.Pace{})
	second.Journal = file.Journal("crawl")
	for _, err := range []error{second.Push("http://example.com/a", 1), second.Run(t.Context(), 1, nothing(t))} {
		assert.ErrorContains(t, err, `another queue of this process uses the journal "crawl"`)
	}
	require.NoError(t, file.Close())
}

// A queue with values of another type says so, and leaves the Journal to one with the same. What a later version has
// written is left alone.
func TestJournalOfAnotherType(t *testing.T) {
	b := new(book)
	require.NoError(t, b.Write(t.Context(), map[string][]byte{
		"i\x00\x00\x00\x00\x00\x00\x00\x01": []byte(`{"u":"http://example.com/","v":7}`), "ilonger": []byte("{}"),
	}))
	other := queue.Queue[string]{Journal: b}
	assert.EqualError(t, other.Push("http://example.com/a", "b"), "queue: the journal cannot be read: it has a value that is no string, but a JSON number: use the type that wrote it, or another Journal")
	same := queue.Queue[int]{Journal: b}
	require.NoError(t, same.Push("http://example.com/a", 8))
	assert.Equal(t, 2, same.Progress().Left)
}

// A million URLs of 100,000 sites in a file.
func TestMillionInAFile(t *testing.T) {
	long.Only(t)
	path := filepath.Join(t.TempDir(), "crawl")
	c := crowd{sites: 100_000, pages: 10}
	open := func() (*queue.Queue[int], *boltstore.Store) {
		file, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(t, err)
		return &queue.Queue[int]{Journal: file.Journal("crawl")}, file
	}
	q, file := open()
	before, start := inUse(), time.Now()
	for url, i := range c.urls {
		added, err := q.PushNew(url, i)
		require.NoError(t, err)
		require.True(t, added)
	}
	took := time.Since(start)
	info, err := os.Stat(path)
	require.NoError(t, err)
	t.Logf("pushed in %v; %d octets in memory and %d in the file for each", took, (inUse()-before)/int64(c.sites*c.pages), info.Size()/int64(c.sites*c.pages))
	runtime.KeepAlive(q)
	require.NoError(t, file.Close())
	start = time.Now()
	q, file = open()
	assert.InDelta(t, c.sites*c.pages, q.Progress().Left, 20_000, "the last may not be written: Run writes them")
	t.Logf("read in %v", time.Since(start))
	require.NoError(t, file.Close())
}

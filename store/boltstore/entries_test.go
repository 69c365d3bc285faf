package boltstore_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func (m *machine) settle() { time.Sleep(2 * time.Second) } // all is written

// Of a process that crashes, the entries of the last second are lost.
func TestEntriesAfterACrash(t *testing.T) {
	on(t, func(m *machine) {
		m.put("written", "a", time.Hour)
		m.settle()
		m.put("pending", "b", time.Hour)
		m.put("written", "c", time.Hour)
		m.has("written", "c")
		m.crash()
		assert.Equal(t, map[string]string{"written": "a"}, m.entries())
	})
}

// Entries lists what is pending and what is in the file, each once.
func TestEntries(t *testing.T) {
	on(t, func(m *machine) {
		want := make(map[string]string)
		for i := range 500 {
			m.put(fmt.Sprint("key", i), "old", time.Hour)
			want[fmt.Sprint("key", i)] = "old"
		}
		m.put("short", "entry", time.Minute)
		time.Sleep(10 * time.Minute)
		for i := range 50 {
			m.put(fmt.Sprint("key", i*7), "new", time.Hour)
			want[fmt.Sprint("key", i*7)] = "new"
		}
		m.put("", "empty", time.Hour)
		m.put(strings.Repeat("long", 10_000), "long", time.Hour)
		want[""], want[strings.Repeat("long", 10_000)] = "empty", "long"
		assert.Equal(t, want, m.entries())
		m.settle()
		assert.Equal(t, want, m.entries())
		for r, err := range m.store.Entries() {
			require.NoError(t, err)
			assert.Equal(t, time.Hour, r.Keep)
			assert.Positive(t, r.Size)
			if string(r.Bytes) == "old" {
				assert.Equal(t, 10*time.Minute+2*time.Second, r.Age)
			}
		}
		for range m.store.Entries() {
			break
		}
		m.store.Close()
		for _, err := range m.store.Entries() {
			assert.ErrorIs(t, err, os.ErrClosed)
		}
	})
}

func TestClear(t *testing.T) {
	on(t, func(m *machine) {
		m.put("written", "a", time.Hour)
		m.begin("break", time.Hour)
		m.take("lane1", "a", time.Hour)
		m.restart()
		m.put("pending", "b", time.Hour)
		token := m.win("claimed")
		require.NoError(t, m.store.Clear())
		assert.Equal(t, store.ErrLost, m.store.Put(m.Context(), "claimed", token, nil, time.Hour))
		for i := range 2 {
			assert.Empty(t, m.entries())
			m.has("written", "")
			m.has("pending", "")
			assert.Zero(t, m.left("break"))
			assert.Equal(t, time.Hour, m.take(fmt.Sprint("lane", i), "b", time.Hour), "it may have started just before")
			m.restart()
		}
		m.put("key", "again", time.Hour)
		m.restart()
		m.has("key", "again")
	})
}

// What is past its use is deleted, some of it with each write.
func TestWhatIsPastItsUseIsDeleted(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 1000 {
			m.put(fmt.Sprint("short", i), "entry", time.Minute)
			m.put(fmt.Sprint("long", i), "entry", year)
		}
		m.settle()
		assert.Equal(t, 2000, m.inFile())
		time.Sleep(time.Hour)
		assert.Len(t, m.entries(), 1000)
		for i := range 50 {
			m.put(fmt.Sprint("more", i), "entry", year)
			m.settle()
		}
		assert.Equal(t, 1050, m.inFile())
		assert.Len(t, m.entries(), 1050)
	})
}

// inFile counts the entries in the file, also those past their use.
func (m *machine) inFile() int { return m.store.InFile() }

// Keys come in random order, and entries have many sizes. What they take in the file is
// about what is said, and never much more than MaxBytes.
func TestMaxBytes(t *testing.T) {
	for _, size := range []int{50, 500, 5000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			on(t, func(m *machine) {
				const most = 1 << 20
				m.store.Close()
				m.options.MaxBytes = most
				m.start()
				n := 3 * most / (size + 150)
				for i := range n {
					m.put(keyOf(i), strings.Repeat("x", size/2+i*7919%size), year)
					if i%(1+n/100) == 0 {
						m.settle()
					}
				}
				m.settle()
				said, used := m.store.Bytes()
				assert.InDelta(t, said, used, most/6)
				assert.LessOrEqual(t, said, int64(most))
				assert.Greater(t, said, int64(most*9/10))
				info, err := os.Stat(m.path)
				require.NoError(t, err)
				assert.LessOrEqual(t, info.Size(), int64(2<<20), "bbolt doubles a small file")

				kept := m.entries()
				newest := 0
				for i := n - n/10; i < n; i++ {
					if _, ok := kept[keyOf(i)]; ok {
						newest++
					}
				}
				assert.Greater(t, newest, n/10*95/100, "old ones go first")
			})
		})
	}
}

// A file that is opened with less space than it takes shrinks to it, bit by bit.
func TestLessSpace(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 5000 {
			m.put(fmt.Sprint("key", i), strings.Repeat("x", 500), year)
		}
		m.store.Close()
		m.options.MaxBytes = 100_000
		m.start()
		before := m.inFile()
		m.put("new", "entry", year)
		m.settle()
		assert.Greater(t, m.inFile(), before-1000, "not all in one write")
		for i := range 50 {
			m.put(fmt.Sprint("new", i), "entry", year)
			m.settle()
		}
		said, _ := m.store.Bytes()
		assert.LessOrEqual(t, said, int64(100_000))
		m.has("new49", "entry")
	})
}

func TestAnEntryThatIsReplacedCountsOnce(t *testing.T) {
	on(t, func(m *machine) {
		for range 100 {
			m.put("key", strings.Repeat("x", 1000), year)
			m.settle()
		}
		said, _ := m.store.Bytes()
		assert.Less(t, said, int64(2000))
	})
}

func TestAnEntryThatIsTooLargeIsNotKept(t *testing.T) {
	on(t, func(m *machine) {
		m.store.Close()
		m.options.MaxBytes = 100_000
		m.start()
		m.put("key", "small", time.Hour)
		m.put("other", "small", time.Hour)
		m.settle()
		m.put("key", strings.Repeat("x", 200_000), time.Hour)
		m.settle()
		m.has("key", "")
		m.has("other", "small")
	})
}

// A value that is cut or changed, or that is of another key, is a miss.
func TestAValueThatIsDamagedIsAMiss(t *testing.T) {
	tests := []struct {
		name   string
		damage func(value []byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"one byte", func(value []byte) []byte { return value[:1] }},
		{"cut", func(value []byte) []byte { return value[:len(value)-1] }},
		{"longer", func(value []byte) []byte { return append(value, 0) }},
		{"a bit of the entry", func(value []byte) []byte { value[len(value)-1] ^= 1; return value }},
		{"a bit of the time", func(value []byte) []byte { value[6] ^= 1; return value }},
		{"of another key", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			on(t, func(m *machine) {
				m.put("key", "entry", time.Hour)
				m.put("other", "entry", time.Hour)
				m.begin("break", time.Hour)
				m.take("lane", "a", time.Hour)
				m.restart()
				m.store.Damage("key", "other", test.damage)
				m.store.Damage("break", "", test.damage)
				m.store.Damage("lane", "", test.damage)
				m.has("key", "")
				m.win("key")
				assert.Equal(t, map[string]string{"other": "entry"}, m.entries())
				m.take("lane", "b", time.Hour)
				m.restart()
				m.put("key", "anew", time.Hour)
				m.restart()
				m.has("key", "anew")
			})
		})
	}
}

// Whoever claims a key at any moment gets its entry, or the right to fetch it, which no
// other has: also while entries move from memory to the file.
func TestAClaimMissesNoEntry(t *testing.T) {
	m := &machine{T: t, path: t.TempDir() + "/cache"}
	m.start()
	ctx, stop := context.WithCancel(t.Context())
	flushed := make(chan struct{})
	go func() {
		defer close(flushed)
		for i := 0; ctx.Err() == nil; i++ {
			m.store.Break(t.Context(), fmt.Sprint("lane", i), time.Hour) // writes all
		}
	}()
	for i := range long.Or(500, 20_000) {
		key := fmt.Sprint("key", i)
		tokens := make(chan string, 4)
		for range 4 {
			go func() {
				c, err := m.store.Claim(t.Context(), key, "", time.Minute)
				for ; err == nil && c.Wait > 0; c, err = m.store.Claim(t.Context(), key, "", time.Minute) {
				}
				assert.NoError(t, err)
				if c.Token != "" {
					assert.NoError(t, m.store.Put(t.Context(), key, c.Token, []byte("x"), time.Hour))
				}
				tokens <- c.Token
			}()
		}
		fetches := 0
		for range 4 {
			if <-tokens != "" {
				fetches++
			}
		}
		require.Equal(t, 1, fetches)
	}
	stop()
	<-flushed
}

// Claims of those who are lost do not pile up.
func TestClaimsAreForgotten(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 1000 {
			m.win(fmt.Sprint("lost", i))
		}
		time.Sleep(time.Hour)
		for i := range 1000 {
			m.win(fmt.Sprint("key", i))
		}
		assert.Less(t, m.store.Claims(), 1500)
	})
}

// Each error wraps its cause.
func TestClosed(t *testing.T) {
	on(t, func(m *machine) {
		token := m.win("key")
		require.NoError(t, m.store.Close())
		require.NoError(t, m.store.Close())
		_, claim := m.store.Claim(m.Context(), "key", "", 0)
		put := m.store.Put(m.Context(), "key", token, nil, 0)
		_, take := m.store.Take(m.Context(), "lane", store.Ask{Gap: 1})
		done := m.store.Done(m.Context(), "lane", "a", false)
		begin := m.store.Break(m.Context(), "lane", 1)
		watch := m.store.Watch(m.Context(), func(store.Change) { t.Error("told") })
		clear := m.store.Clear()
		all := []error{claim, put, take, done, begin, watch, clear}
		for _, err := range m.store.Entries() {
			all = append(all, err)
		}
		assert.Len(t, all, 8)
		for _, err := range all {
			assert.ErrorIs(t, err, fs.ErrClosed)
			assert.NotContains(t, err.Error(), "could not", "nothing is wrong with the file")
		}
	})
}

// Nothing goes on when all is written, or when the store is closed.
func TestNothingGoesOn(t *testing.T) {
	on(t, func(m *machine) {
		m.put("key", "entry", time.Hour)
		m.settle()
		synctest.Wait() // the bubble has no goroutine but this one, and no timer
		m.put("key", "entry", time.Hour)
		m.store.Close()
	})
}

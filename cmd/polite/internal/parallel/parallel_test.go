package parallel

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// siteOf returns the part of a question before its colon.
func siteOf(question string) string {
	site, _, _ := strings.Cut(question, ":")
	return site
}

// answers returns the answers in the order in which they come, with the seconds at which
// they do. A site answers after the seconds that took has for it.
func answers(took map[string]int, questions ...string) (got []string) {
	began := time.Now()
	var asked sync.Map // the sites that have answered
	ask := func(question string) string {
		site := siteOf(question)
		if _, answered := asked.Load(site); !answered {
			time.Sleep(time.Duration(took[site]) * time.Second)
			asked.Store(site, true)
		}
		return question
	}
	for r := range Each(slices.Values(questions), siteOf, ask) {
		got = append(got, fmt.Sprintf("%s %v", r.Out, time.Since(began).Truncate(time.Second)))
	}
	return got
}

func TestOrder(t *testing.T) {
	for name, test := range map[string]struct {
		took      map[string]int
		questions string
		want      string
	}{
		"all are quick":     {nil, "a:1 b:1 a:2 c:1", "a:1 0s, b:1 0s, a:2 0s, c:1 0s"},
		"one is slow":       {map[string]int{"a": 5}, "a:1 b:1 a:2 c:1 b:2", "a:1 5s, b:1 5s, a:2 5s, c:1 5s, b:2 5s"},
		"two are slow":      {map[string]int{"a": 5, "b": 3}, "a:1 b:1 c:1 b:2", "a:1 5s, b:1 5s, c:1 5s, b:2 5s"},
		"the last is slow":  {map[string]int{"c": 5}, "a:1 b:1 c:1", "a:1 0s, b:1 0s, c:1 5s"},
		"nobody is asked":   {nil, ":1 :2 :3", ":1 0s, :2 0s, :3 0s"},
		"nobody is slow":    {map[string]int{"a": 5}, "a:1 :1 :2", "a:1 5s, :1 5s, :2 5s"},
		"there are no more": {nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				assert.Equal(t, test.want, strings.Join(answers(test.took, strings.Fields(test.questions)...), ", "))
			})
		})
	}
}

// count yields n numbers, and counts those that were taken.
func count(n int, taken *atomic.Int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			taken.Add(1)
			if !yield(i) {
				return
			}
		}
	}
}

// A site that does not answer has one question, and a long list does not pile up behind it.
func TestSlowSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, asking, worst, quick atomic.Int64
		site := func(i int) string { return []string{"slow", "quick"}[i%2] }
		var got []int
		for r := range Each(count(10_000, &taken), site, func(i int) int {
			worst.Store(max(worst.Load(), asking.Add(1)))
			defer asking.Add(-1)
			if i == 0 {
				time.Sleep(time.Minute)
				assert.Equal(t, int64(ahead/2), quick.Load(), "the quick one is not held up")
			} else if i%2 == 1 {
				quick.Add(1)
			}
			return i
		}) {
			got = append(got, r.Out)
			assert.LessOrEqual(t, int(taken.Load())-len(got), ahead+2, "are read ahead")
		}
		assert.Len(t, got, 10_000)
		assert.LessOrEqual(t, worst.Load(), int64(most))
		assert.True(t, slices.IsSorted(got), "in the order of the questions")
	})
}

// Who has enough is told no more, and nothing goes on without him.
func TestEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var taken, done atomic.Int64
		for range Each(count(100_000, &taken), func(int) string { return "" }, func(int) int { done.Add(1); return 0 }) {
			break
		}
		synctest.Wait()
		assert.Less(t, taken.Load(), int64(2*ahead))
		assert.Less(t, done.Load(), int64(2*ahead))
	})
}

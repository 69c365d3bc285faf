package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// brief is a gap: many of them take less than an hour, which is as far as some engines
// look ahead.
const brief = 5 * time.Second

// Many at once.
var turnsCrowds = []turnsTest{
	{"many who take at once keep the gaps", func(one, two *asker) {
		starts := make([]start, crowd)
		together(crowd, func(i int) {
			starts[i] = pick(i, one, two).take("lane", polite.Ask{
				Token: fmt.Sprint("token", i), Gap: time.Duration(1+i%5) * brief, Slack: time.Duration(i%3) * time.Second})
		})
		one.apart(starts...)
	}},
	{"many who take, give back and take again keep the gaps", func(one, two *asker) {
		var mu sync.Mutex
		var starts []start
		together(crowd, func(i int) {
			a := pick(i, one, two)
			for round := range 5 {
				s := a.take("lane", ask(fmt.Sprint("token", i, " ", round), brief))
				time.Sleep(time.Millisecond)
				if (i+round)%2 == 0 {
					a.done("lane", s.ask.Token)
					continue
				}
				mu.Lock()
				starts = append(starts, s)
				mu.Unlock()
			}
		})
		one.apart(starts...)
	}},
	{"many in lanes of their own do not wait for each other", func(one, two *asker) {
		together(crowd, func(i int) {
			a, lane := pick(i, one, two), fmt.Sprint("lane", i)
			before := a.moment()
			var starts []start
			for round := range 5 {
				starts = append(starts, a.take(lane, ask(fmt.Sprint(round), long)))
			}
			a.apart(slices.Clone(starts)...)
			a.between(before, starts[4].moment, 4*long)
		})
	}},
	{"of many who hold at once, the longest counts", func(one, two *asker) {
		for _, lane := range []string{"a", "b", "c", "d"} {
			before := one.moment()
			together(crowd, func(i int) {
				pick(i, one, two).hold(lane, time.Duration(1+i*7%crowd)*long)
			})
			one.between(before, two.left(lane), crowd*long)
		}
	}},
}

package limit

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// judgedEvery is a site that answers the n-th of each so many requests otherwise.
func judgedEvery(n int, other, usual conduct.Reply) conduct.Site {
	arrived := 0
	return func(time.Duration, string) conduct.Reply {
		if arrived++; arrived%n == 0 {
			return other
		}
		return usual
	}
}

var judgedUsual = conduct.Reply{Takes: 100 * time.Millisecond}

// judgedStatus answers as usual, with another status.
func judgedStatus(status int) conduct.Reply {
	return conduct.Reply{Status: status, Takes: judgedUsual.Takes}
}

// judgedBroken has parts that answer otherwise.
func judgedBroken(broken map[string]conduct.Reply) conduct.Site {
	return func(_ time.Duration, part string) conduct.Reply {
		if reply, ok := broken[part]; ok {
			return reply
		}
		return judgedUsual
	}
}

var judgedParts = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

// A site that bears everything gets as many requests as from a client without manners: within 2%. More
// such sites are tried by a model, in internal/lab/manners.
func TestMannersHealthySites(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for name, site := range map[string]func() conduct.Site{
		"usual":           func() conduct.Site { return judgedBroken(nil) },
		"one in 20 fails": func() conduct.Site { return judgedEvery(20, judgedStatus(http.StatusInternalServerError), judgedUsual) },
		"one in 3 is 404": func() conduct.Site { return judgedEvery(3, judgedStatus(http.StatusNotFound), judgedUsual) },
		"one part is forbidden": func() conduct.Site {
			return judgedBroken(map[string]conduct.Reply{"c": judgedStatus(http.StatusForbidden)})
		},
	} {
		for _, workers := range []int{1, long.Or(8, 16)} {
			t.Run(fmt.Sprintf("%s, %d workers", name, workers), func(t *testing.T) {
				crawl := judgedCrawl{site: site(), parts: judgedParts, workers: workers, long: long.Or(10*time.Second, 30*time.Second)}
				ours, plain := len(crawl.run(t).arrivals), float64(workers)*crawl.long.Seconds()/judgedUsual.Takes.Seconds()
				t.Logf("%d pages, %.0f without (%.2f%%)", ours, plain, 100*float64(ours)/plain)
				assert.GreaterOrEqual(t, float64(ours), 0.98*plain-3*float64(workers), "within 2%, beside three answers at first: the window doubles thrice, from two at a time")
			})
		}
	}
}

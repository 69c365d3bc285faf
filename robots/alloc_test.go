package robots_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// shop is a typical file.
const shop = "User-agent: *\nDisallow: /admin/\nDisallow: /cart\nAllow: /cart/help$\nDisallow: /*?sort=\nDisallow: /search\n\nSitemap: https://example.com/sitemap.xml\n"

func TestMatchDoesNotAllocate(t *testing.T) {
	if forgets {
		t.Skip("the race detector allocates, too")
	}
	var long strings.Builder
	for i := range 200 {
		long.WriteString("disallow: /*/" + strings.Repeat("x", i%20) + "\ndisallow: /a" + strings.Repeat("b", i%50) + "\n")
	}
	for name, body := range map[string]string{"shop": shop, "long": "user-agent: *\n" + long.String(), "empty": "", "twice": shop + shop} {
		file := robots.Parse([]byte(body))
		for _, target := range []string{"/", "/products/1?sort=asc", "/abbbbb/xxx", "https://example.com/cart/help?a#b", "/%63art/ツ", "/a?b=%3a%2F*$"} {
			assert.Zero(t, allocations(func() {
				file.Allowed("ExampleBot", target)
				file.Rules("ExampleBot-News", "ExampleBot").Match(target)
			}), "%s, %s", name, target)
		}
	}
}

// Nor does a walk: it uses room again, unless the garbage collector took it.
func TestWalkAllocatesLittle(t *testing.T) {
	rules := robots.Parse(hostileWords(500)).Rules("a")
	path := "/" + randomWord(rand.New(rand.NewPCG(1, 0)), ten+"!", 5000)
	assert.Less(t, allocations(func() { rules.MatchByWalk(path) }), 20.0)
}

func TestParseAllocations(t *testing.T) {
	assert.LessOrEqual(t, allocations(func() { robots.Parse([]byte(shop)) }), 6.0)
}

// allocations returns the mean of what f allocates. If pools forget, it returns the least
// of some counts: what f allocates when it finds room to use again.
func allocations(f func()) float64 {
	if !forgets {
		return testing.AllocsPerRun(20, f)
	}
	least := testing.AllocsPerRun(1, f)
	for range 19 {
		least = min(least, testing.AllocsPerRun(1, f))
	}
	return least
}

// A group that names a token many times speaks to it once, and is searched once.
func TestRepeatedAgents(t *testing.T) {
	f := robots.Parse([]byte(strings.Repeat("user-agent: a1\nuser-agent: A2\n", 10_000) + "crawl-delay: 3\nuser-agent: a\ndisallow: /\n"))
	assert.LessOrEqual(t, f.Size(), 1_500_000)
	for _, token := range []string{"a", "a1", "A2"} {
		delay, ok := f.Rules(token).CrawlDelay()
		assert.True(t, ok)
		assert.Equal(t, 3*time.Second, delay)
		assert.False(t, f.Allowed(token, "/"))
	}
	few := robots.Parse([]byte("user-agent: a1\nuser-agent: A2\ndisallow: /\n"))
	assert.Less(t, f.Size()-len("a1aA2a")*10_000, few.Size()+100, "but for the text")
}

// Size is the size of a File on the heap.
func TestSizeIsTrue(t *testing.T) {
	for name, body := range map[string]string{
		"shop":    shop,
		"rules":   "user-agent: *\n" + strings.Repeat("disallow: /some/folder/\n", 1000),
		"agents":  strings.Repeat("user-agent: SomeBot\n", 1000),
		"records": strings.Repeat("sitemap: https://example.com/\n", 1000),
		"encoded": "user-agent: *\n" + strings.Repeat("disallow: /%61\n", 1000),
		"usage":   strings.Repeat("user-agent: *\ncontent-usage: /a* train-ai=n\ncontent-signal: ai-train=no\ndisallow:\n", 1000),
	} {
		files := make([]*robots.File, 100)
		before := heap()
		for i := range files {
			files[i] = robots.Parse([]byte(body))
		}
		assert.InEpsilon(t, float64(heap()-before)/100, files[0].Size(), 0.2, name)
		runtime.KeepAlive(files)
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}

// A parser that is used again has little room, whatever it has read.
func TestRoomOfParsers(t *testing.T) {
	for _, line := range []string{
		"disallow: /some/folder/\n", "allow:/\n", "allow:ツ\n", "user-agent:a1\n", "user-agent:a\n", "x:\n", "content-signal:a\n", "user-agent:*\n" + strings.Repeat("allow:/\n", 129),
	} {
		for _, size := range []int{64 << 10, robots.MaxSize} {
			robots.Parse([]byte("user-agent: *\n" + strings.Repeat(line, size/len(line))))
			assert.LessOrEqual(t, robots.Room(), 1<<20, line)
		}
	}
}

// The memory of a File is in proportion to its source, whatever the source.
func TestSize(t *testing.T) {
	for name, line := range map[string]string{
		"rules":    "disallow: /some/folder/\n",
		"short":    "allow:/\n",
		"agents":   "user-agent: a1\n",
		"records":  "x:\n",
		"encoded":  "disallow: /ツツツツツツツツ\n",
		"paths":    "content-usage: /*a a\n",
		"signals":  "content-signal:a\n",
		"one line": "disallow: /" + strings.Repeat("*a", robots.MaxSize/2),
	} {
		body := []byte("user-agent: *\n" + strings.Repeat(line, max(1, robots.MaxSize/len(line))))
		before := allocated()
		size := robots.Parse(body).Size()
		assert.LessOrEqual(t, size, 16*len(body), name)
		assert.LessOrEqual(t, allocated()-before, uint64(1<<16+80*len(body)), "%s, on the way", name)
	}
}

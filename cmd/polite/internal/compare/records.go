package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots"
)

// A Delay is a crawl-delay that changed. It is 0 if there is none.
type Delay struct {
	Crawlers []string
	Old, New time.Duration
}

// Delays returns the crawl-delays that changed.
func (c *Comparison) Delays() (delays []Delay) {
	for _, one := range c.crawlers {
		old, _ := one.old.CrawlDelay()
		new, _ := one.new.CrawlDelay()
		if old == new || judge.IgnoresDelay(one.name) {
			continue
		}
		i := slices.IndexFunc(delays, func(d Delay) bool { return d.Old == old && d.New == new })
		if i < 0 {
			i, delays = len(delays), append(delays, Delay{Old: old, New: new})
		}
		delays[i].Crawlers = append(delays[i].Crawlers, one.name)
	}
	return delays
}

// A Record is a line of one of the files that the other does not have for the same
// crawlers, and that is neither a rule nor a delay.
type Record struct {
	robots.Record
	New    bool     // it is in the new file
	Agents []string // of its group; nil if it is in none
}

// Records returns the records that are new, and those that are gone.
func (c *Comparison) Records() (changed []Record) {
	old, new := recordsOf(c.old), recordsOf(c.new)
	for content, r := range old {
		if _, kept := new[content]; !kept {
			changed = append(changed, r)
		}
	}
	for content, r := range new {
		if _, kept := old[content]; !kept {
			r.New = true
			changed = append(changed, r)
		}
	}
	slices.SortFunc(changed, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Value, b.Value))
	})
	return changed
}

// mostAgents bounds how many agents all records of a file may have together.
const mostAgents = 1_000_000

// recordsOf returns the records of a file, by what they say to whom. If too many agents
// have too many records, it leaves the agents out.
func recordsOf(f *robots.File) map[string]Record {
	records := make(map[string]Record)
	named, count := 0, 0
	for range f.Named() {
		named++
	}
	for range f.Records() {
		count++
	}
	for r := range f.Records() {
		key := strings.ToLower(r.Key)
		if key == "crawl-delay" || key == "request-rate" {
			continue
		}
		var agents []string
		if named*count <= mostAgents {
			agents = f.Agents(r)
		}
		folded := slices.Sorted(slices.Values(strings.Fields(strings.ToLower(strings.Join(agents, " ")))))
		content := key + "\n" + r.Value + "\n" + strings.Join(slices.Compact(folded), " ")
		if _, ok := records[content]; !ok {
			records[content] = Record{r, false, agents}
		}
	}
	return records
}

// Package judge says what is known of an origin's robots.txt means for a request.
package judge

import "github.com/go-polite/polite/internal/memory"

// A Judge judges requests for a crawler. It is safe for concurrent use.
type Judge struct {
	Agents []string // the product tokens of the crawler, most specific first
	Policy Policy
	Memory *memory.Reader
}

// Judge fills in what v.Known means for target.
func (j *Judge) Judge(v *Verdict, target string) {
	if v.Known.File == nil {
		v.Silence = silenceOf(v.Known, j.Policy.EndsOutages, j.Memory)
		v.Allowed = !j.Policy.Denies[v.Silence]
	} else {
		v.Rules = v.Known.File.RulesFor(j.Agents)
		v.match(target, &j.Policy)
		v.matchFolded(target, &j.Policy)
	}
	j.Memory.Recount(v.Known.File)
}

package robots

import (
	"cmp"
	"iter"
	"slices"
)

// Matches returns the rules that match target, which is a URL or its path with
// the query, in order of precedence: the first is the one that [Rules.Match]
// returns. It compares target with every rule, which Match does not.
func (r Rules) Matches(target string) iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, match := range r.matching(target) {
			if !yield(r.file.describe(match)) {
				return
			}
		}
	}
}

// matching returns the rules that match target, the greatest first.
func (r Rules) matching(path string) (matching []rule) {
	t := target{path: string(appendNormal(nil, pathOf(path), false))}
	if t.path == "/robots.txt" {
		return nil // implicitly allowed (§2.2.2)
	}
	for _, a := range r.agents {
		for _, rule := range r.file.rules[a.first:a.end] {
			if r.file.matches(rule, &t) {
				matching = append(matching, rule)
			}
		}
	}
	slices.SortFunc(matching, func(a, b rule) int { return cmp.Compare(b, a) })
	return matching
}

// Len returns the number of octets that the pattern counts for when the longest
// is sought: those of its normal form, "*" and "$" included (RFC 9309 §2.2.2).
func (r Rule) Len() int { return len(appendNormal(nil, r.Pattern, true)) }

// NamedBy reports whether a line of the file is a user-agent line that names the
// group which speaks, so that its rules are the crawler's.
func (r Rules) NamedBy(line []byte) bool {
	key, value, ok := cutLine(line)
	if !ok || len(r.agents) == 0 || classify(key) != userAgent {
		return false
	}
	long, short := tokens(string(value))
	return compareFold(long, r.Agent()) == 0 || compareFold(short, r.Agent()) == 0
}

// Agents returns the product tokens of the group that a record stands in, as the
// file writes them and in its order. A sitemap stands in none.
func (f *File) Agents(r Record) []string {
	i, ok := slices.BinarySearchFunc(f.records, r.Line, func(rec record, line int) int { return cmp.Compare(int(rec.line), line) })
	if !ok || f.records[i].kind == sitemap {
		return nil
	}
	var written []span
	for _, a := range f.agents {
		if a.group == f.records[i].group {
			written = append(written, a.token)
		}
	}
	slices.SortFunc(written, func(a, b span) int { return cmp.Compare(a.at, b.at) })
	var names []string
	for i, token := range written {
		if i > 0 && f.shortens(token, written[i-1]) {
			continue
		}
		names = append(names, f.str(token))
	}
	return names
}

// Lines returns the lines of a robots.txt by their numbers, as Parse reads them:
// without their ends, and those within the first [MaxSize] bytes only.
func Lines(body []byte) iter.Seq2[int, []byte] {
	body, _ = truncate(body)
	lines := cutter{body: body[markSize(body):], lineFeed: -1}
	return func(yield func(int, []byte) bool) {
		lines := lines // each loop begins anew
		for n, start, end := 1, 0, 0; start < len(lines.body); n, start = n+1, lines.next(end) {
			end = lines.end(start)
			if !yield(n, lines.body[start:end]) {
				return
			}
		}
	}
}

package robots_test

import (
	"regexp"
	"slices"
	"strings"
)

// The reference reads robots.txt in the most obvious way, whatever the cost. Tests
// compare the package with it.

type refGroup struct {
	values []string // of its user-agent lines
	rules  []refRule
}

type refRule struct {
	allow   bool
	pattern string
	line    int
}

var (
	refLineEnd = regexp.MustCompile(`\r\n|\r|\n`)
	refColon   = regexp.MustCompile(`(?s)^([^:]*):(.*)$`)
	refNoColon = regexp.MustCompile(`(?s)^([^ \t:]+)[ \t]+([^ \t:]+)$`)
	refTriplet = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
	refOpen    = regexp.MustCompile(`%[0-9A-Fa-f]$`) // a "%" that begins no triplet, unless a digit follows
	refURL     = regexp.MustCompile(`^[^/?;]*://[^/?]*`)
	refNoPath  = regexp.MustCompile(`^[^/?;]*`)
)

const refSpace = "\t\n\v\f\r "

func refParse(body string) (groups []*refGroup) {
	naming := false
	for i, line := range refLineEnd.Split(refWithoutMark(body), -1) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.Trim(line, refSpace)
		parts := refColon.FindStringSubmatch(line)
		if parts == nil {
			parts = refNoColon.FindStringSubmatch(line)
		}
		if parts == nil {
			continue
		}
		value := strings.Trim(parts[2], refSpace)
		switch key := refFold(strings.Trim(parts[1], refSpace)); key {
		case "user-agent", "useragent", "user agent":
			if !naming {
				groups, naming = append(groups, &refGroup{}), true
			}
			last := groups[len(groups)-1]
			last.values = append(last.values, value)
		case "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
			naming = false
			if len(groups) > 0 && value != "" {
				last := groups[len(groups)-1]
				last.rules = append(last.rules, refRule{key == "allow", value, i + 1})
			}
		}
	}
	return groups
}

// refWithoutMark drops a byte order mark, or the first octets of one.
func refWithoutMark(body string) string {
	for _, mark := range []string{"\xEF\xBB\xBF", "\xEF\xBB", "\xEF"} {
		if strings.HasPrefix(body, mark) {
			return body[len(mark):]
		}
	}
	return body
}

// refPath returns the path and query of a target.
func refPath(target string) string {
	target, _, _ = strings.Cut(target, "#")
	if authority := refURL.FindString(target); authority != "" {
		target = target[len(authority):]
	} else {
		target = target[len(refNoPath.FindString(target)):]
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" + target
	}
	return target
}

// refDecide returns the rule that decides on target for agent; the zero rule if
// none does.
func refDecide(body, agent, target string) (best refRule) {
	target = refNormal(refPath(target), false)
	if target == "/robots.txt" {
		return refRule{}
	}
	bestLen := 0
	for _, g := range refSpeaking(refParse(body), agent) {
		for _, r := range g.rules {
			n := len(refNormal(r.pattern, true))
			if (n > bestLen || n == bestLen && r.allow && !best.allow) && refMatches(r.pattern, target) {
				best, bestLen = r, n
			}
		}
	}
	return best
}

// refSpeaking returns the groups that speak to agent.
func refSpeaking(groups []*refGroup, agent string) []*refGroup {
	naming := func(names func(value string) bool) (out []*refGroup) {
		for _, g := range groups {
			if slices.ContainsFunc(g.values, names) {
				out = append(out, g)
			}
		}
		return out
	}
	cut := regexp.MustCompile(`^[A-Za-z_-]*`)
	if strings.ContainsAny(agent, "0123456789.") {
		cut = regexp.MustCompile(`^[A-Za-z0-9_.-]*`)
	}
	if own := naming(func(value string) bool { return agent != "" && refFold(cut.FindString(value)) == refFold(agent) }); own != nil {
		return own
	}
	return naming(regexp.MustCompile(`^\*([\t-\r ]|$)`).MatchString)
}

// refNormal brings a pattern or a target to normal form.
func refNormal(s string, pattern bool) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~$"
	const never = "\x7F\"<>\\^`{|}" // raw in a URL, as are all up to the space and from 0x80 on
	const digits = "0123456789ABCDEFabcdef"
	out, query := "", false
	for s != "" {
		c, next, encoded := s[0], s[1:], false
		if triplet := refTriplet.FindString(s); triplet != "" {
			c, next, encoded = refUnhex(triplet[1])<<4|refUnhex(triplet[2]), s[3:], true
		}
		switch {
		case encoded && strings.IndexByte(plain, c) < 0 && !(query && strings.IndexByte(":/?@", c) >= 0),
			c <= ' ', c >= 0x80, strings.IndexByte(never, c) >= 0, c == '*' && !pattern,
			strings.IndexByte(digits, c) >= 0 && refOpen.MatchString(out):
			out += "%" + string("0123456789ABCDEF"[c>>4]) + string("0123456789ABCDEF"[c&15])
		default:
			out += string(c)
		}
		query = query || c == '?' && !encoded
		s = next
	}
	return out
}

// refMatches reports whether a pattern matches a target in normal form: it tries
// everything that a wildcard can stand for.
func refMatches(pattern, target string) bool {
	p, anchored := refNormal(strings.TrimSuffix(pattern, "$"), true), strings.HasSuffix(pattern, "$")
	question := strings.IndexByte(target, '?')
	failed := make(map[[2]int]bool)
	var match func(i, j int) bool
	match = func(i, j int) bool {
		if failed[[2]int{i, j}] {
			return false
		}
		ok := i == len(p) && (!anchored || j == len(target))
		if i < len(p) && p[i] == '*' {
			ok = match(i+1, j) || j < len(target) && match(i, j+1)
		} else if i < len(p) && j < len(target) {
			ok = p[i] == target[j] && match(i+1, j+1)
			// In the query, but for the pattern's own, these are the same.
			for encoded, c := range map[string]byte{"%3A": ':', "%2F": '/', "%3F": '?', "%40": '@'} {
				ok = ok || question >= 0 && j > question && c == target[j] && strings.HasPrefix(p[i:], encoded) && match(i+3, j+1)
			}
		}
		failed[[2]int{i, j}] = !ok
		return ok
	}
	return match(0, 0)
}

func refUnhex(c byte) byte { return byte(strings.IndexByte("0123456789abcdef", c|0x20)) }

// refFold folds ASCII letters only.
func refFold(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

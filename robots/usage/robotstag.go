package usage

import (
	"slices"
	"strings"
)

// longestTag is how much of a Robots-Tag is read. The draft wants at least 8 KiB.
const longestTag = 64 << 10

// robotsTag returns the directives in a Robots-Tag: a list of product tokens, whose parameters are the
// rules for it. If a header is too long, the whole members at its beginning count
// (draft-illyes-repext-03 §3.1.1). If it is malformed, ok is false.
func robotsTag(value string) (found []Directive, ok bool) {
	cut := len(value) > longestTag
	wellFormed := eachTag(value[:min(len(value), longestTag)], func(agent string, rules []Directive, last bool) {
		if !cut || !last {
			found = append(found, rules...)
		}
	})
	if !wellFormed && !cut {
		return nil, false
	}
	return found, true
}

// eachTag visits the members of a list that are items (RFC 9651 §4.2.1), with the rules
// for each. Last says that no comma follows. It returns false where value is malformed.
func eachTag(value string, visit func(agent string, rules []Directive, last bool)) bool {
	p := parser{rest: strings.Trim(value, " "), fold: true}
	for p.rest != "" {
		agent, rules, ok := p.tag()
		if p.skip(" \t"); !ok {
			return false
		}
		last := p.rest == ""
		if !last && !p.next(',') {
			return false
		}
		visit(agent, rules, last)
		if p.skip(" \t"); !last && p.rest == "" {
			return false // a comma at the end
		}
	}
	return true
}

// tag reads a member of a Robots-Tag. The agent of a member that is no token and no string
// is ""; it has no rules.
func (p *parser) tag() (agent string, rules []Directive, ok bool) {
	from := p.rest
	if strings.HasPrefix(from, "(") {
		return "", nil, p.innerList() && p.parameters()
	}
	token, ok := p.bareItem()
	if !ok {
		return "", nil, false
	}
	written := from[:len(from)-len(p.rest)]
	if token || strings.HasPrefix(written, `"`) {
		agent = unquoted(written)
	}
	ok = p.eachParameter(func(key, value string) {
		rules = slices.DeleteFunc(rules, func(d Directive) bool { return strings.EqualFold(d.Name, key) }) // the last counts (§4.2.3.2)
		if agent != "" && value != "?0" {
			rules = append(rules, Directive{Agent: strings.TrimPrefix(agent, "*"), Name: strings.ToLower(key), Value: ruleValue(value)})
		}
	})
	return agent, rules, ok
}

// ruleValue returns the value of a rule. That of a rule without one is true.
func ruleValue(written string) string {
	if written == "?1" {
		return ""
	}
	return unquoted(written)
}

// unquoted returns the text of a string, or any other item as written.
func unquoted(item string) string {
	if !strings.HasPrefix(item, `"`) {
		return item
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.Trim(item, `"`))
}

// tagSlips returns the uses to which a Robots-Tag means to say no, but says it as in
// X-Robots-Tag: "noindex" is a product token there.
func tagSlips(value string) (uses []Use) {
	eachTag(value[:min(len(value), longestTag)], func(agent string, rules []Directive, _ bool) {
		if use, ok := forbids[strings.ToLower(agent)]; ok && len(rules) == 0 && !slices.Contains(uses, use) {
			uses = append(uses, use)
		}
	})
	return uses
}

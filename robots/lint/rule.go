package lint

var ruleOutsideGroup = &check{
	Check:   Check{"rule-outside-group", Error, "a rule before the first user-agent line is ignored"},
	example: "disallow: /\nuser-agent: *",
}

// checkRule looks at a rule by itself.
func (l *linter) checkRule(allow bool, key, value []byte) {
	l.divider = noDivider
	switch {
	case len(l.groups) == 0:
		l.said.outside = true
		l.say(ruleOutsideGroup, key, `the rule precedes the first user-agent line, so it is ignored; write "User-agent: *" above it`).with(l.over(l.current[:0], "User-agent: *"+l.newLine()))
		return
	case len(value) == 0:
		l.groups[len(l.groups)-1].empties++
		l.empties = append(l.empties, emptyRule{len(l.groups) - 1, l.line, l.column(key), allow})
		return
	}
	l.said.rules++
	if l.said.rules == manyRulesInAll+1 {
		l.sayf(tooManyRules, key, "the file has more than %d rules, more than some crawlers read; shorter patterns match more", manyRulesInAll)
	}
	l.checkComment(value)
	if value[0] != '/' && value[0] != '*' {
		l.reportBadStart(value)
		return
	}
	l.checkOctets(value)
	l.checkMeaning(allow, value)
}

// checkOctets looks at what a pattern is made of.
func (l *linter) checkOctets(value []byte) {
	var all trait
	for _, c := range value {
		all |= traits[c]
	}
	if all&hasSpace != 0 {
		l.checkSpace(value)
	}
	if all&hasHigh != 0 {
		l.checkNonASCII(value)
	}
	if all&hasRaw != 0 {
		l.checkRaw(value)
	}
	if all&hasPercent != 0 {
		l.checkPercent(value)
	}
	if all&hasDollar != 0 {
		l.checkDollar(value)
	}
	if all&hasStar != 0 {
		l.checkStars(value)
	}
	if all&hasBracket != 0 {
		l.checkExpression(value)
	}
	if all&(hasBracket|hasPercent) != 0 {
		l.checkBrackets(value)
	}
}

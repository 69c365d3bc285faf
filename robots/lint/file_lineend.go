package lint

var fileLineEndChecks = []*check{loneReturn, mixedLineEnds}

var loneReturn = &check{
	Check: Check{"line-end", Note, "a line ends in CR alone"},
	finds: []example{
		{"user-agent: *\rdisallow: /x\r", "1:14"},
		{"user-agent: *\r\ndisallow: /x\r\r\n\r", "2:13"},
	},
	not: []string{
		"user-agent: *\r\ndisallow: /x\n\r\n",
		"user-agent: *\ndisallow: /x\r",
	},
}

var mixedLineEnds = &check{
	Check: Check{"mixed-line-ends", Note, "some lines end in LF, some in CRLF"},
	finds: []example{
		{"user-agent: *\r\ndisallow: /x\n\r\n", "2:13"},
		{"user-agent: *\n\r\ndisallow: /x\n", "2:1"},
	},
	not: []string{
		"user-agent: *\r\ndisallow: /x\r\n",
		"user-agent: *\ndisallow: /x\n",
		"user-agent: *\ndisallow: /x\r",
	},
}

// checkLineEnd looks at how the current line ends. It is not called for the last one.
func (l *linter) checkLineEnd(end []byte) {
	switch {
	case string(end) == "\r":
		l.sayOnce(loneReturn, "the line ends in a carriage return alone, where some crawlers do not end it; end lines with a line feed")
	case l.said.lineEnd == "":
		l.said.lineEnd = string(end)
	case l.said.lineEnd != string(end):
		l.sayOnce(mixedLineEnds, "the line ends in another way than those before, which editors and tools may get wrong; end all with a line feed")
	}
}

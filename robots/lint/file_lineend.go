package lint

var loneReturn = &check{
	Check:   Check{"line-end", Note, "a line ends in CR alone"},
	example: "user-agent: *\rdisallow: /x\r",
}

var mixedLineEnds = &check{
	Check:   Check{"mixed-line-ends", Note, "some lines end in LF, some in CRLF"},
	example: "user-agent: *\r\ndisallow: /x\n\r\n",
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

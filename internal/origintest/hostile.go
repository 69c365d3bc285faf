package origintest

// Hostile returns texts, by what they are, that act where they are shown as they
// are: on a terminal, in a log, on whoever reads them. They have no line feed.
func Hostile() map[string]string {
	return map[string]string{
		"ANSI":                "\x1b[2J\x1b[31m",
		"OSC":                 "\x1b]8;;https://evil.example/\a",
		"C1":                  "\u009b2J\u0085\u0090",
		"C1 as an octet":      "\x9b2J",
		"DEL":                 "\x7f\b\x00",
		"not UTF-8":           "\xff\xe2\x80",
		"white space":         "a\r\v\f\tb",
		"override":            "\u202egnp.exe",
		"isolates":            "\u2066a\u2069\u2067",
		"marks":               "\u200e\u200f\u061c",
		"no width":            "\u200b\u200d\ufeff\u00ad\u2060",
		"separators":          "\u2028\u2029",
		"tags":                "\U000E0041\U000E0001",
		"blanks":              "\u3164\uffa0\u2800\u034f\u00a0\u3000",
		"variation selectors": "\ufe0f\U000E0100",
		"commands in a log":   "##[stop-commands]x##vso[task.complete]",
	}
}

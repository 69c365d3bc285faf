package lint_test

import (
	"fmt"
	"strings"
)

// hostileLines make files that are slow to lint, or have many findings.
var hostileLines = map[string]func(i int) string{
	"/a":              func(int) string { return "disallow: /a\n" },
	"/i":              func(i int) string { return fmt.Sprintf("disallow: /%d\n", i) },
	"/*i":             func(i int) string { return fmt.Sprintf("disallow: /*%d\n", i) },
	"*i, both":        func(i int) string { return fmt.Sprintf("%sallow: *%d\n", []string{"", "dis"}[i%2], i) },
	"/i, both":        func(i int) string { return fmt.Sprintf("%sallow: /%d\n", []string{"", "dis"}[i%2], i) },
	"/*a*a*a*a*b…":    func(i int) string { return fmt.Sprintf("disallow: /*a*a*a*a*b%d\n", i) },
	"/a{i}":           func(i int) string { return "disallow: /" + strings.Repeat("a", i) + "\n" },
	"/*a{i}":          func(i int) string { return "disallow: /*" + strings.Repeat("a", i) + "\n" },
	"*a… (1000)":      func(i int) string { return "disallow: " + strings.Repeat("*a", 1000+i) + "b\n" },
	"***":             func(i int) string { return "allow: /" + strings.Repeat("*", i) + "\n" },
	"%":               func(int) string { return "disallow: /%%2a%62%c3\n" },
	"groups":          func(i int) string { return fmt.Sprintf("user-agent: a%d\ndisallow: /\n", i) },
	"one group again": func(i int) string { return "user-agent: a\nallow: /\n" },
	"groups, both":    func(i int) string { return fmt.Sprintf("user-agent: a%d\nuser-agent: b\nallow:/\n", i) },
	"groups for *": func(i int) string {
		return fmt.Sprintf("user-agent: *\ndisallow: /%d\nuser-agent: a%d\ndisallow: /b%d\n", i, i, i)
	},
	"agents":     func(i int) string { return "user-agent: a\n" },
	"bad agents": func(i int) string { return "user-agent: *x\n" },
	"records":    func(i int) string { return fmt.Sprintf("x%d: y\n", i) },
	"misspelled": func(i int) string { return fmt.Sprintf("user-agents%d: y\n", i) },
	"mistyped":   func(i int) string { return fmt.Sprintf("usr-agent%d: y\n", i) },
	"words":      func(i int) string { return "disallow\n" },
	"colons":     func(i int) string { return ":\n" },
	"delays":     func(i int) string { return "crawl-delay: x\n" },
	"NBSP":       func(i int) string { return "\u00a0disallow: /\u00a0\n" },
	"uses": func(i int) string {
		return fmt.Sprintf("content-usage: /%d* train-ai=%d, search=y, draw%d=n\n", i%7, i, i)
	},
	"signals": func(i int) string {
		return "content-signal: ai-train=no, ai-train=yes, serach=x" + strings.Repeat(",ai-trai=n", i) + "\n"
	},
	"unread use": func(i int) string { return "user-agent:\ncontent-signal: search=yes\ndisallow: /\n" },
	"shut":       func(i int) string { return "user-agent: a\ncontent-signal: search=yes\ndisallow: /\n" },
	"shut, but": func(i int) string {
		return fmt.Sprintf("user-agent: a%d\nuser-agent: a\ncontent-signal: search=yes\n%sdisallow: /\n", i, map[bool]string{true: "allow: /x\n"}[i == 0])
	},
	"not UTF-8": func(i int) string { return "disallow: /\xFF\n" },
}
